#!/usr/bin/env python3
"""hookshell's extension in the real pi: see plugins.py."""
import json, os

import plugins
from rig import MOCK, Installed, node, put

class Pi(plugins.Plugin):
    name, path_key = "pi", "path"
    env = dict(PI_OFFLINE="1", PI_TELEMETRY="0")

    def installed_at(self):
        self.node = node(22, 19)
        # Of the packages that it depends on the bundle has all but this one.
        modules = os.path.join(self.installed.path, "node_modules")
        os.makedirs(modules, exist_ok=True)
        if not os.path.lexists(modules + "/jiti"):
            os.symlink(Installed("jiti").path, modules + "/jiti")

    def prepare(self, home):
        mock = dict(baseUrl=MOCK.url + "/v1", apiKey="x", api="openai-completions", models=[dict(id="m")])
        put(home + "/.pi/agent/models.json", json.dumps(dict(providers=dict(mock=mock))))

    def argv(self):
        return [self.node, self.installed.file("dist/bundle/cli.js"), "-p", "--provider", "mock", "--model", "m", "go"]

if __name__ == "__main__":
    plugins.run(Pi)
