/** Stands in for a language model, so that the example runs anywhere: it asks for these commands, whatever it is told. */
const COMMANDS = [
  "printf 'b\\na\\n' | sort",
  "rm -rf build",
  "curl https://example.com",
  "echo '{\"name\": \"Ada\"}' | jq -r .name; exit 3",
];

/** What the model says next to the messages so far: `{ tool, input }`, or `{ text }` at the end. */
export async function nextMessage(messages) {
  const command = COMMANDS[messages.filter((message) => message.role === "tool").length];
  return command === undefined ? { text: "done" } : { tool: "bash", input: { command } };
}
