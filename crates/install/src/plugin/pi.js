
export default function (pi) {
  const ask = async (event, call, ctx, payload) => {
    const session = { session_id: ctx.sessionManager?.getSessionId?.(), session_file: ctx.sessionManager?.getSessionFile?.() };
    const all = { ...session, tool_name: call.toolName, ...payload };
    const verdict = await hooks(event, all, ctx.cwd ?? process.cwd(), ctx.signal);
    if (verdict.warning) ctx.hasUI ? ctx.ui.notify(verdict.warning, "warning") : console.error(verdict.warning);
    if (verdict.halts) ctx.abort?.();
    return verdict;
  };
  // `path` is `file_path` where it is a file's.
  const aliases = (call) => (key) => (key === "path" && ["read", "edit", "write"].includes(call.toolName) ? "file_path" : key);
  const contexts = new Map();
  pi.on("tool_call", async (call, ctx) => {
    if (!isFirst(call)) return;
    const alias = aliases(call);
    const verdict = await ask("PreToolUse", call, ctx, { tool_input: told(call.input, alias) });
    if (verdict.blocks) return { block: true, reason: verdict.reason, terminate: verdict.halts };
    if (verdict.asks && !(ctx.hasUI && (await ctx.ui.confirm(`hookshell: ${call.toolName}`, verdict.reason)))) {
      return { block: true, reason: `a hook wants the user to be asked, who has not allowed it: ${verdict.reason}` };
    }
    if (verdict.input) take(call.input, verdict.input, alias);
    if (verdict.context) contexts.set(call.toolCallId, verdict.context);
  });
  pi.on("tool_result", async (call, ctx) => {
    if (!isFirst(call)) return;
    const text = call.content.map((part) => part.text ?? "").join("\n");
    const event = call.isError ? "PostToolUseFailure" : "PostToolUse";
    const result = call.isError ? { error: text } : { tool_response: text };
    const verdict = await ask(event, call, ctx, { tool_input: told(call.input, aliases(call)), ...result });
    const said = [contexts.get(call.toolCallId), verdict.blocks && verdict.reason, verdict.context].filter(Boolean);
    contexts.delete(call.toolCallId);
    if (said.length) return { content: [...call.content, { type: "text", text: said.join("\n") }] };
  });
}
