
// `filePath` is `file_path`, `oldString` is `old_string`.
const alias = (key) => key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

// What is printed stands across opencode's screen, which shows a toast: `opencode run` and the servers have none.
const hasScreen = process.stderr.isTTY && !process.argv.some((word) => ["run", "serve", "web", "acp"].includes(word));

export const Hookshell = async ({ client, directory }) => {
  // The session of the user's turn: a sub-agent's is halted with it.
  const root = async (id) => {
    for (let parent = id; parent; ) {
      id = parent;
      parent = (await client.session.get({ path: { id } }))?.data?.parentID;
    }
    return id;
  };
  const ask = async (event, call, payload) => {
    const all = { session_id: call.sessionID, tool_name: call.tool, ...payload };
    const verdict = await hooks(event, all, directory);
    if (verdict.warning) {
      if (!hasScreen) console.error(verdict.warning);
      // A version without toasts must not make a deny of a warning.
      const body = { title: "hookshell", message: verdict.warning, variant: "warning" };
      try { await client.tui.showToast({ body }); } catch { /* it was printed, or cannot be shown */ }
    }
    // A turn that cannot be halted is denied its call at least.
    if (verdict.halts) await root(call.sessionID).then((id) => client.session.abort({ path: { id } })).catch(() => {});
    return verdict;
  };
  const contexts = new Map();
  return {
    "tool.execute.before": async (call, output) => {
      if (!isFirst(output)) return;
      const verdict = await ask("PreToolUse", call, { tool_input: told(output.args, alias) });
      if (verdict.blocks) throw new Error(verdict.reason);
      // A plugin cannot ask the user here.
      if (verdict.asks) throw new Error(`a hook wants the user to be asked, which opencode cannot do: ${verdict.reason}`);
      if (verdict.input) take(output.args, verdict.input, alias);
      if (verdict.context) contexts.set(call.callID, verdict.context);
    },
    "tool.execute.after": async (call, output) => {
      if (!output || !isFirst(output)) return;
      const verdict = await ask("PostToolUse", call, { tool_input: told(call.args ?? {}, alias), tool_response: output.output });
      const said = [contexts.get(call.callID), verdict.blocks && verdict.reason, verdict.context].filter(Boolean);
      contexts.delete(call.callID);
      if (said.length) output.output = [output.output, ...said].filter(Boolean).join("\n");
    },
  };
};
