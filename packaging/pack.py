#!/usr/bin/env python3
"""Archives of what dist.sh has built, the same bytes each time: names sorted, nobody's name, the time of SOURCE_DATE_EPOCH.

usage: pack.py --version V --out DIR machine amd64|arm64 WORK PARTS     the static program for one machine: tar.gz, npm, wheel, SBOM
       pack.py --version V --out DIR windows WORK PARTS                 the program for Windows: zip, SBOM
       pack.py --version V --out DIR common WORK PARTS                  what covers both machines: npm, OCI layout, Homebrew's formula
"""
import argparse
import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
EPOCH = int(os.environ["SOURCE_DATE_EPOCH"])
SUMMARY = "Guard between untrusted text and an LLM agent"
# What each world calls a machine. The library in the wheel asks for glibc 2.25 (getentropy) at most; musl has all that it asks for.
MACHINES = {
    "amd64": {"file": "linux-x86_64", "npm": "x64", "wheel": "manylinux_2_25_x86_64.musllinux_1_1_x86_64"},
    "arm64": {"file": "linux-arm64", "npm": "arm64", "wheel": "manylinux_2_25_aarch64.musllinux_1_1_aarch64"},
}
NPM_SCOPE = "@toadstone"


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def text(value):
    return value if isinstance(value, bytes) else value.encode()


def tar(files, folders=(), owner=0):
    """files: name -> (bytes, mode); folders: name -> (owner, mode)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for name in sorted([*files, *folders]):
            info = tarfile.TarInfo(name)
            info.mtime = EPOCH
            if name in folders:
                info.type, info.uid, info.mode = tarfile.DIRTYPE, *folders[name]
                info.gid = info.uid
                t.addfile(info)
                continue
            data, info.mode = files[name]
            info.size, info.uid, info.gid = len(data), owner, owner
            t.addfile(info, io.BytesIO(data))
    return out.getvalue()


def gz(data):
    return gzip.compress(data, 9, mtime=0)


def zip_file(path, files):
    """files: name -> (bytes, mode), in their order."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as z:
        for name, (data, mode) in files.items():
            one = zipfile.ZipInfo(name, time.gmtime(max(EPOCH, 315532800))[:6])
            one.external_attr, one.compress_type, one.create_system = (0o100000 | mode) << 16, zipfile.ZIP_DEFLATED, 3
            z.writestr(one, data)


def npm_tgz(path, package, files):
    files = {"package/" + name: value for name, value in files.items()}
    files["package/package.json"] = (text(json.dumps(package, indent=2) + "\n"), 0o644)
    path.write_bytes(gz(tar(files)))


def installed(path):
    """The Debian package of this machine that a file is of, as packages_linked has it."""
    name = subprocess.check_output(["dpkg", "-S", path], text=True).split(":")[0]
    version = subprocess.check_output(["dpkg-query", "-W", "-f", "${Version}", name], text=True)
    return {name: (version, pathlib.Path("/usr/share/doc", name, "copyright").read_text(errors="replace"))}


class Built:
    """What stands in the build folder of one machine."""

    def __init__(self, work, parts, machine):
        self.build, self.machine, self.file = work / f"dist-{machine}", machine, MACHINES[machine]["file"]
        self.program = (parts / machine / "toadstone").read_bytes()
        self.library = (parts / machine / "libtoadstone.so").read_bytes()
        self.addon = (parts / machine / "toadstone.node").read_bytes()
        self.sysroot = parts / f"sysroot-{machine}"
        self.linked = self.packages_linked()

    def archives(self):
        """Out of which the linker took something."""
        return sorted({os.path.realpath(name) for name in re.findall(r"^(/\S+\.a)\(", (self.build / "toadstone.map").read_text(), re.M)})

    def packages_linked(self):
        """Debian package -> (version, its copyright file): of each of these archives."""
        foreign = {}
        for deb in sorted(self.sysroot.glob("packages/*.deb")):
            name, version = subprocess.check_output(["dpkg-deb", "-W", "--showformat=${Package} ${Version}", deb], text=True).split()
            for line in subprocess.check_output(["dpkg-deb", "-c", deb], text=True).splitlines():
                foreign[line.split(None, 5)[5].split(" -> ")[0].lstrip(".")] = (name, version, self.sysroot)
        found = {}
        for inside in self.archives():
            if inside.startswith(str(self.sysroot)):
                name, version, root = foreign[inside[len(str(self.sysroot)):]]
            else:
                found.update(installed(inside))
                continue
            found[name] = (version, (root / "usr/share/doc" / name / "copyright").read_text(errors="replace"))
        return found

    def licenses(self):
        """Of all that is in the program: what its authors ask to be told with it."""
        parts = ["What is linked into this program and library, each from the Debian package that is named.\n"]
        for name, (version, words) in sorted(self.linked.items()):
            parts.append(f"\n{'=' * 80}\n{name} {version}\n{'=' * 80}\n\n{words}")
        return text("".join(parts))

    def legal(self):
        return {"LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644), "THIRD-PARTY.txt": (self.licenses(), 0o644)}

    def page(self, name):
        return ((self.build / "packaging" / name).read_bytes(), 0o644)


class Windows(Built):
    """The program for Windows, whose libraries libraries.sh has made from Debian's sources."""

    def __init__(self, work, parts):
        self.build, self.machine, self.file = work / "dist-windows", "source", "windows-x86_64"
        self.program = (parts / "windows-program/toadstone.exe").read_bytes()
        self.libraries = (parts / "windows").resolve()
        self.linked = self.packages_linked()

    def packages_linked(self):
        sources = dict(line.split() for line in (self.libraries / "sources").read_text().splitlines())
        found = installed("/usr/share/publicsuffix/public_suffix_list.dat")
        for archive in self.archives():
            name = pathlib.Path(archive).stem
            if not archive.startswith(str(self.libraries)):
                found.update(installed(archive))
                continue
            name = name if name in sources else name.removeprefix("lib")
            found[name] = (sources[name], (self.libraries / "copyright" / name).read_text(errors="replace"))
        return found


def windows_zip(b, version, out):
    files = {"toadstone.exe": (b.program, 0o755), **b.legal()}
    zip_file(out / f"toadstone-{version}-{b.file}.zip", {f"toadstone-{version}-{b.file}/{name}": value for name, value in files.items()})


def static_tar(b, version, out):
    top = f"toadstone-{version}-{b.file}/"
    files = {"bin/toadstone": (b.program, 0o755), "share/man/man1/toadstone.1": b.page("toadstone.1"),
             "share/bash-completion/completions/toadstone": b.page("toadstone"),
             "share/zsh/site-functions/_toadstone": b.page("_toadstone"),
             "share/fish/vendor_completions.d/toadstone.fish": b.page("toadstone.fish"), **b.legal()}
    (out / (top[:-1] + ".tar.gz")).write_bytes(gz(tar({top + name: value for name, value in files.items()})))


def npm_machine_files(b, version):
    cpu = MACHINES[b.machine]["npm"]
    package = {"name": f"{NPM_SCOPE}/linux-{cpu}", "version": version, "description": f"{SUMMARY}: the program for Linux on {cpu}",
               "license": "Apache-2.0", "os": ["linux"], "cpu": [cpu], "preferUnplugged": True, "engines": {"node": ">=18"}}
    files = {"bin/toadstone": (b.program, 0o755), **b.legal()}
    files["toadstone.node"] = (b.addon, 0o755)
    return package, files


def npm_machine(b, version, out):
    npm_tgz(out / "npm" / f"toadstone-linux-{MACHINES[b.machine]['npm']}-{version}.tgz", *npm_machine_files(b, version))


def wheel(b, version, out):
    tag = MACHINES[b.machine]["wheel"]
    info = f"toadstone-{version}.dist-info/"
    python = ROOT / "bindings/python"
    files = {str(p.relative_to(python)): (p.read_bytes(), 0o644) for p in python.glob("toadstone/**/*")
             if p.suffix == ".py" or p.name == "py.typed"}
    files["toadstone/libtoadstone.so"] = (b.library, 0o755)
    files[f"toadstone-{version}.data/scripts/toadstone"] = (b.program, 0o755)
    for name, value in b.legal().items():
        files[f"{info}licenses/{name}"] = value
    files[info + "METADATA"] = (text(
        f"Metadata-Version: 2.1\nName: toadstone\nVersion: {version}\nSummary: {SUMMARY}\nLicense: Apache-2.0\nRequires-Python: >=3.9\n"
        "Classifier: Operating System :: POSIX :: Linux\nClassifier: Topic :: Security\nClassifier: Typing :: Typed\n"), 0o644)
    files[info + "WHEEL"] = (text("Wheel-Version: 1.0\nGenerator: toadstone packaging/pack.py\nRoot-Is-Purelib: false\n"
                                  + "".join(f"Tag: py3-none-{one}\n" for one in tag.split("."))), 0o644)
    record = "".join("%s,sha256=%s,%d\n" % (name, base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode(), len(data))
                     for name, (data, _) in sorted(files.items()))
    files[info + "RECORD"] = (text(record + info + "RECORD,,\n"), 0o644)
    zip_file(out / f"toadstone-{version}-py3-none-{tag}.whl", {name: files[name] for name in sorted(files, key=lambda n: (n.startswith(info), n))})


def sbom(b, version, out):
    """CycloneDX 1.5: what the linker took from where, by Debian's names and versions."""
    components = [{"type": "library", "bom-ref": name, "name": name, "version": of[0], "scope": "required",
                   "purl": f"pkg:deb/debian/{name}@{of[0]}?arch={b.machine}&distro=debian-12".replace("+", "%2B")} for name, of in sorted(b.linked.items())]
    program = {"type": "application", "bom-ref": "toadstone", "name": "toadstone", "version": version,
               "licenses": [{"license": {"id": "Apache-2.0"}}], "hashes": [{"alg": "SHA-256", "content": sha256(b.program)}]}
    document = {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
                "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH)), "component": program},
                "components": components,
                "dependencies": [{"ref": "toadstone", "dependsOn": sorted(b.linked)}]}
    (out / f"toadstone-{version}-{b.file}.cdx.json").write_text(json.dumps(document, indent=1) + "\n")


def npm_main(bindings, built, version, out):
    """The bindings as bindings/node/pack.mjs has laid them out, and what starts the program of this machine's package; and the same with the package of one machine
    inside, which is installed from one file."""
    package = json.loads((bindings / "package.json").read_text())
    if package["version"] != version:
        sys.exit(f"pack.py: bindings/node/package.json says {package['version']}, meson.build {version}")
    package["bin"] = {"toadstone": "bin/toadstone.cjs"}
    package["optionalDependencies"] = {f"{NPM_SCOPE}/linux-{m['npm']}": version for m in MACHINES.values()}
    files = {str(p.relative_to(bindings)): (p.read_bytes(), 0o644) for p in bindings.rglob("*") if p.is_file()}
    files.update({"bin/toadstone.cjs": ((ROOT / "packaging/npm/toadstone.cjs").read_bytes(), 0o755), "LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644)})
    package["files"].append("bin")
    npm_tgz(out / "npm" / f"toadstone-{version}.tgz", package, files)
    for b in built:
        inside, its = npm_machine_files(b, version)
        whole = {**package, "dependencies": {inside["name"]: version}, "bundleDependencies": [inside["name"]], "os": inside["os"], "cpu": inside["cpu"]}
        del whole["optionalDependencies"]
        its["package.json"] = (text(json.dumps(inside, indent=2) + "\n"), 0o644)
        npm_tgz(out / "npm" / f"toadstone-with-{inside['name'].split('/')[1]}-{version}.tgz", whole,
                {**files, **{f"node_modules/{inside['name']}/{name}": value for name, value in its.items()}})


def oci(built, version, out):
    """An OCI image layout for all machines: one layer with the program, run by nobody in particular."""
    blobs = {}

    def blob(data, kind, **more):
        data = text(data)
        blobs["blobs/sha256/" + sha256(data)] = (data, 0o644)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": "sha256:" + sha256(data), "size": len(data), **more}

    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(EPOCH))
    labels = {"org.opencontainers.image.title": "toadstone", "org.opencontainers.image.version": version,
              "org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.description": SUMMARY}
    manifests = []
    for b in built:
        files = {"usr/bin/toadstone": (b.program, 0o755), "etc/passwd": (b"toadstone:x:65532:65532::/home/toadstone:/sbin/nologin\n", 0o644),
                 "etc/group": (b"toadstone:x:65532:\n", 0o644),
                 **{"usr/share/doc/toadstone/" + name: value for name, value in b.legal().items()}}
        folders = {"home/toadstone": (65532, 0o700), "work": (65532, 0o755), "tmp": (0, 0o1777)}
        for name in [*files, "home/toadstone"]:
            for parent in list(pathlib.PurePosixPath(name).parents)[:-1]:
                folders.setdefault(str(parent), (0, 0o755))
        layer = tar(files, folders)
        config = {"created": created, "architecture": b.machine, "os": "linux",
                  "config": {"User": "65532:65532", "Env": ["PATH=/usr/bin", "HOME=/home/toadstone"], "WorkingDir": "/work",
                             "Entrypoint": ["/usr/bin/toadstone"], "Cmd": ["help"], "Labels": labels},
                  "rootfs": {"type": "layers", "diff_ids": ["sha256:" + sha256(layer)]}, "history": [{"created": created, "created_by": "toadstone"}]}
        manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json", "config": blob(json.dumps(config), "config.v1+json"),
                    "layers": [blob(gz(layer), "layer.v1.tar+gzip")]}
        manifests.append(blob(json.dumps(manifest), "manifest.v1+json", platform={"architecture": b.machine, "os": "linux"},
                              annotations={"org.opencontainers.image.ref.name": b.machine}))
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": manifests}
    whole = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json",
             "manifests": [blob(json.dumps(index), "index.v1+json", annotations={"org.opencontainers.image.ref.name": version}), *manifests]}
    (out / f"toadstone-{version}-oci.tar").write_bytes(tar({**blobs, "index.json": (text(json.dumps(whole)), 0o644),
                                                            "oci-layout": (b'{"imageLayoutVersion": "1.0.0"}', 0o644)}))


def formula(version, out):
    words = {"@VERSION@": version}
    for machine, of in MACHINES.items():
        words[f"@SHA256_{machine}@"] = sha256((out / f"toadstone-{version}-{of['file']}.tar.gz").read_bytes())
    template = (ROOT / "packaging/homebrew/toadstone.rb.in").read_text()
    (out / "toadstone.rb").write_text(re.sub(r"@\w+@", lambda m: words[m[0]], template))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--version", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("what", nargs="+")
    args = parser.parse_args()
    kind, *rest = args.what
    if kind == "machine":
        built = Built(pathlib.Path(rest[1]), pathlib.Path(rest[2]), rest[0])
        for make in (static_tar, npm_machine, wheel, sbom):
            make(built, args.version, args.out)
    elif kind == "windows":
        built = Windows(pathlib.Path(rest[0]), pathlib.Path(rest[1]))
        for make in (windows_zip, sbom):
            make(built, args.version, args.out)
    elif kind == "common":
        built = [Built(pathlib.Path(rest[0]), pathlib.Path(rest[1]), m) for m in MACHINES]
        npm_main(pathlib.Path(rest[1]) / "npm", built, args.version, args.out)
        oci(built, args.version, args.out)
        formula(args.version, args.out)
    else:
        sys.exit(f"pack.py: unknown: {kind}")


main()
