#!/usr/bin/env python3
"""hookshell's plugin in the real opencode: see plugins.py."""
import json

import plugins
from rig import MOCK, put

class Opencode(plugins.Plugin):
    name, path_key = "opencode", "filePath"
    env = dict(OPENCODE_DISABLE_MODELS_FETCH="1", OPENCODE_DISABLE_AUTOUPDATE="1", OPENCODE_DISABLE_LSP_DOWNLOAD="1")

    def prepare(self, home):
        mock = dict(npm="@ai-sdk/openai-compatible", name="mock", options=dict(baseURL=MOCK.url + "/v1", apiKey="x"), models=dict(m=dict(name="m", tool_call=True)))
        put(home + "/.config/opencode/opencode.json", json.dumps(dict(provider=dict(mock=mock), model="mock/m", small_model="mock/m", share="disabled")))

    def argv(self):
        return [self.installed.file("bin/opencode"), "run", "go"]

if __name__ == "__main__":
    plugins.run(Opencode)
