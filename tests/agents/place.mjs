// One agent in a home and a project of its own, with a model that does what it is told.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { kinds } from "./kinds.mjs";
import { Model } from "./model.mjs";

let sat = 0;
export const bin = (path) => path.replace(/\/[^/]*$/, "");

export class Place {
  constructor(name, { toadstone, packages, work, kind }) {
    const base = `${work}/${name}`;
    rmSync(base, { recursive: true, force: true });
    Object.assign(this, { name: name.split("-")[0], toadstone, base, home: `${base}/home`, project: `${base}/project`, other: `${base}/other`, store: `${base}/s.db`, done: `${base}/done` });
    for (const dir of [this.home, this.project, this.other]) mkdirSync(dir, { recursive: true });
    writeFileSync(this.done, "");
    this.kind = kind ?? kinds[this.name];
    this.node = this.kind.node ? `${packages}/node_modules/${this.kind.node}` : process.execPath;
    this.program = `${packages}/node_modules/${this.kind.program}`;
    this.model = new Model(this.kind.main);
    this.server = { command: process.execPath, args: [new URL("server.mjs", import.meta.url).pathname, this.done] };
  }
  async open() {
    this.url = await this.model.listen();
    return this;
  }
  // What the agent's user has written.
  prepare(project = this.project) {
    this.kind.prepare({ ...this, project });
  }
  env() {
    return { PATH: `${bin(this.toadstone)}:${bin(this.node)}:/usr/bin:/bin`, HOME: this.home, LC_ALL: "C.UTF-8", ...this.kind.env(this.url) };
  }
  command() {
    return this.program.endsWith("js") ? [this.node, this.program] : [this.program];
  }
  // A headless run with a plan: what tools gave the model, and what the agent printed.
  run(plan, project = this.project) {
    this.model.start(plan);
    const [command, ...first] = this.command();
    const child = spawn(command, [...first, ...this.kind.args({ ...this, project })], { cwd: project, env: this.env(), stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (more) => (out += more));
    const timer = setTimeout(() => child.kill("SIGKILL"), 90000);
    return new Promise((resolve) => child.on("close", () => (clearTimeout(timer), resolve({ seen: this.model.seen, out }))));
  }
  // The same at a terminal: `watch` is pairs of what to wait for on the screen and the keys that follow. Gives the screens, and what the model was sent back.
  async sit(plan, watch) {
    this.model.start(plan);
    const socket = `toad-${process.pid}-${++sat}`, tmux = (...args) => spawnSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" }).stdout;
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const env = Object.entries({ ...this.env(), TERM: "xterm-256color" });
    const line = ["env", "-i", ...env.map(([n, v]) => `${n}=${v}`), ...this.command(), ...this.kind.tui(this)].map((w) => `'${w}'`).join(" ");
    tmux("new-session", "-d", "-s", "it", "-x", "100", "-y", "60", "-c", this.project, line);
    const screens = [];
    for (const [wanted, ...keys] of watch) {
      let screen = "";
      for (let i = 0; i < 150 && !wanted.test(screen); i++) {
        await wait(200);
        screen = tmux("capture-pane", "-p", "-t", "it");
      }
      screens.push(screen);
      if (!wanted.test(screen)) break;
      await wait(1500);
      for (const key of keys) {
        tmux("send-keys", "-t", "it", key);
        await wait(300);
      }
    }
    tmux("kill-server");
    return { screens, seen: this.model.seen };
  }
  // A step of a plan: a command for the agent's shell.
  shell(command) {
    const [tool, args] = this.kind.shell;
    return { tool, args: (chosen) => args(command, chosen) };
  }
  close() {
    this.model.close();
  }
}
