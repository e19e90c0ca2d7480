/** What the client does with a server that misbehaves: a stand-in in Node's language, as the real one cannot be made to. */

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  BusyError,
  CancelledError,
  ClosedError,
  Hookshell,
  MessageTooLargeError,
  RequestError,
  RequestFailedError,
  ServerCrashedError,
  StartError,
} from "hookshell";
import { DEADLINE, fakeServer, IS_WINDOWS, isAlive, until } from "./support.js";

const OPTIONS = { ...DEADLINE, skip: IS_WINDOWS && "a script is no program there" };

test("another version of the protocol is refused", OPTIONS, async (t) => {
  const body = `function line(message) { send({ id: message.id, result: { protocol_version: 7 } }); }`;
  await assert.rejects(
    Hookshell.start({ binary: fakeServer(t, body) }),
    (error: unknown) => error instanceof StartError && /version 7/.test(error.message),
  );
});

test("a program without `serve` says why it ended", OPTIONS, async (t) => {
  const body = `console.error("no such command: serve"); process.exit(64); function line() {}`;
  await assert.rejects(
    Hookshell.start({ binary: fakeServer(t, body) }),
    (error: unknown) => error instanceof StartError && /exit code 64: no such command: serve/.test(error.message),
  );
});

test("a program that cannot be started is a StartError", OPTIONS, async () => {
  await assert.rejects(Hookshell.start({ binary: "/nowhere/hookshell" }), (error: unknown) => {
    return error instanceof StartError && /\/nowhere\/hookshell.*ENOENT/.test(error.message);
  });
});

test("a program that does not answer is ended", OPTIONS, async (t) => {
  const binary = fakeServer(t, `function line() {}`);
  await assert.rejects(
    Hookshell.start({ binary, startTimeout: 200 }),
    (error: unknown) => error instanceof StartError && /not answered in time/.test(error.message),
  );
});

test("the errors of the protocol are classes", OPTIONS, async (t) => {
  const body = `function line(message) {
    if (message.method === "initialize") return hello(message);
    if (message.method === "exit") process.exit(0);
    const error = {
      "hooks/run": { code: -32000, message: "bad config", data: { reasons: ["a", "b"], hint: "mend it", exit_code: 65 } },
      "shell/exec": { code: -32003, message: "busy" },
      doctor: { code: -32800, message: "cancelled" },
      check: { code: 17, message: "new" },
    }[message.method];
    send(error ? { id: message.id, error } : { id: message.id, result: {} });
  }`;
  const hookshell = await Hookshell.start({ binary: fakeServer(t, body) });
  t.after(() => hookshell.close());
  await assert.rejects(hookshell.runHooks({ event: "PreToolUse" }), (error: unknown) => {
    assert(error instanceof RequestFailedError);
    assert.deepEqual(error.details, { reasons: ["a", "b"], hint: "mend it", exit_code: 65 });
    assert.equal(error.message, "hooks/run: bad config (mend it)");
    return true;
  });
  await assert.rejects(hookshell.exec("ls"), BusyError);
  await assert.rejects(hookshell.doctor(), CancelledError);
  await assert.rejects(hookshell.check(), (error: unknown) => error instanceof RequestError && error.code === 17);
  // The limit is what the server said in `initialize`; nothing is sent.
  await assert.rejects(hookshell.exec("ä".repeat(600)), MessageTooLargeError);
  await hookshell.sessionEnd();
});

test("an answer in many pieces, and many answers in one", OPTIONS, async (t) => {
  const body = `
    const lines = [];
    async function line(message) {
      if (message.method === "initialize") return hello(message);
      if (message.method === "exit") process.exit(0);
      if (message.method === "shutdown") return send({ id: message.id, result: {} });
      lines.push(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { text: "\u{1F600}\\n", id: message.id } }) + "\\n");
      if (lines.length < 3) return;
      const bytes = Buffer.from(lines.splice(0).reverse().join(""));
      for (let at = 0; at < bytes.length; at += 7) {
        process.stdout.write(bytes.subarray(at, at + 7));
        await new Promise((resolve) => setImmediate(resolve));
      }
    }`;
  const hookshell = await Hookshell.start({ binary: fakeServer(t, body) });
  const results = await Promise.all([hookshell.doctor(), hookshell.doctor(), hookshell.doctor()]);
  assert.deepEqual(
    results.map((result) => [result["text"], result["id"]]),
    [2, 3, 4].map((id) => ["\u{1F600}\n", id]),
  );
  const closed = hookshell.close();
  await assert.rejects(hookshell.doctor(), ClosedError);
  await closed;
});

test("a server that sends what is not JSON is given up", OPTIONS, async (t) => {
  const body = `function line(message) {
    if (message.method === "initialize") return hello(message);
    process.stdout.write("Segmentation fault\\n");
  }`;
  const hookshell = await Hookshell.start({ binary: fakeServer(t, body) });
  t.after(() => hookshell.close());
  await assert.rejects(
    hookshell.doctor(),
    (error: unknown) => error instanceof ServerCrashedError && /not the protocol/.test(error.message),
  );
});

test("what it sends after that is not read", OPTIONS, async (t) => {
  const body = `function line(message) {
    if (message.method === "initialize") return hello(message);
    process.stdout.write("Segmentation fault\\n".repeat(100000));
  }`;
  const hookshell = await Hookshell.start({ binary: fakeServer(t, body) });
  t.after(() => hookshell.close());
  await assert.rejects(hookshell.doctor(), (error: unknown) => {
    return error instanceof ServerCrashedError && error.message.split("not the protocol").length === 2;
  });
});

test("a question is answered, cancelled and refused", OPTIONS, async (t) => {
  const body = `
    let request;
    const answers = [];
    function line(message) {
      if (message.method === "initialize") return hello(message);
      if (message.method === "exit") process.exit(0);
      if (message.method === "shutdown") return send({ id: message.id, result: {} });
      if (message.method === undefined) answers.push(message);
      else {
        request = message.id;
        for (const [id, method] of [["s1", "ui/confirm"], ["s2", "ui/input"], ["s3", "ui/select"], ["s4", "ui/later"], ["s5", "llm/complete"]]) {
          send({ id, method, params: { title: "T", message: "M", placeholder: "", options: [], messages: [] } });
        }
        send({ method: "ui/notify", params: { message: "hello", level: "info" } });
        send({ method: "$/cancel", params: { id: "s2" } });
        send({ method: "$/cancel", params: { id: "s9" } });
      }
      if (answers.length === 5) send({ id: request, result: { answers } });
    }`;
  const seen: unknown[] = [];
  const hookshell = await Hookshell.start({
    binary: fakeServer(t, body),
    ui: {
      confirm: ({ title, message }) => (seen.push(title + message), true),
      // It does not hear the signal.
      input: () => new Promise(() => {}),
      notify: ({ message }) => seen.push(message),
    },
    llm: {
      complete: () => {
        throw new Error("no model");
      },
    },
  });
  t.after(() => hookshell.close());
  const { answers } = (await hookshell.doctor()) as { answers: { id: string; result?: unknown; error?: { code: number } }[] };
  const byId = Object.fromEntries(answers.map(({ id, result, error }) => [id, result ?? error?.code]));
  assert.deepEqual(byId, { s1: { confirmed: true }, s2: -32800, s3: { selected: null }, s4: -32601, s5: -32603 });
  assert.deepEqual(seen, ["TM", "hello"]);
});

test("`close` kills a server that does not end, and what asks then is told so", OPTIONS, async (t) => {
  const body = `function line(message) { if (message.method === "initialize") hello(message); }
    process.stdin.removeAllListeners("end"); setInterval(() => {}, 1000);`;
  const hookshell = await Hookshell.start({ binary: fakeServer(t, body), closeTimeout: 300 });
  const pid = hookshell.pid as number;
  const asked = assert.rejects(hookshell.doctor(), ClosedError);
  await Promise.all([hookshell.close(), hookshell.close(), asked]);
  await until(() => !isAlive(pid));
  await assert.rejects(hookshell.doctor(), ClosedError);
});
