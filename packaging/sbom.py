"""A software bill of materials: CycloneDX 1.5, of what the binary for one target is built from."""

from __future__ import annotations

import json
import subprocess
import time
import uuid
from pathlib import Path


def sbom(root: Path, target: str, stamp: int) -> bytes:
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, cwd=root, check=True, stdout=subprocess.PIPE).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    main = next(id for id, package in packages.items() if package["name"] == "hookshell")
    # What is built for tests alone is not in the binary.
    needs: dict[str, list[str]] = {}
    waiting = [main]
    while waiting:
        id = waiting.pop()
        if id in needs:
            continue
        needs[id] = sorted(
            dep["pkg"] for dep in nodes[id]["deps"] if any(kind["kind"] != "dev" for kind in dep["dep_kinds"])
        )
        waiting.extend(needs[id])
    sums = checksums(root / "Cargo.lock")

    def reference(id: str) -> str:
        return f"pkg:cargo/{packages[id]['name']}@{packages[id]['version']}"

    def component(id: str) -> dict[str, object]:
        package = packages[id]
        made: dict[str, object] = {
            "type": "application" if id == main else "library",
            "bom-ref": reference(id),
            "name": package["name"],
            "version": package["version"],
            "purl": reference(id),
        }
        if package.get("description"):
            made["description"] = package["description"].strip()
        if package.get("license"):
            made["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
        digest = sums.get((package["name"], package["version"]))
        if digest:
            made["hashes"] = [{"alg": "SHA-256", "content": digest}]
        return made

    root_component = component(main)
    bom = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, reference(main) + target + str(stamp))}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(stamp)),
            "component": root_component,
            "properties": [{"name": "rust:target", "value": target}],
        },
        "components": [component(id) for id in sorted(needs, key=reference) if id != main],
        "dependencies": [
            {"ref": reference(id), "dependsOn": sorted(reference(dep) for dep in deps)}
            for id, deps in sorted(needs.items(), key=lambda item: reference(item[0]))
        ],
    }
    return (json.dumps(bom, indent=2) + "\n").encode()


def checksums(lock: Path) -> dict[tuple[str, str], str]:
    sums: dict[tuple[str, str], str] = {}
    name = version = ""
    for line in lock.read_text(encoding="utf-8").splitlines():
        key, _, value = line.partition(" = ")
        value = value.strip('"')
        if key == "name":
            name = value
        elif key == "version":
            version = value
        elif key == "checksum":
            sums[name, version] = value
    return sums
