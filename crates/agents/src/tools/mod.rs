//! What agents call their tools.

mod qwen;

use std::borrow::Cow;

use crate::dialect::Dialect;
use crate::nearest::is_slip;

/// A kind of tool that several agents have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tool {
    Shell,
    Read,
    Write,
    Edit,
    MultiEdit,
    Glob,
    Grep,
    List,
    Fetch,
    Search,
    Agent,
    Todos,
    Notebook,
}

/// The names of a kind of tool in each dialect, in the order of [`Dialect::ALL`]; the first is the one that a tool of
/// another agent is translated to.
type Names = [&'static [&'static str]; 7];

const TOOLS: &[(Tool, Names)] = &[
    (
        Tool::Shell,
        [
            &["bash"],
            &["Bash", "PowerShell"],
            &["Bash", "shell", "local_shell", "exec_command"],
            &["run_shell_command"],
            &["Shell"],
            &["bash", "powershell"],
            &["run_shell_command", "Shell", "ShellTool", "Bash"],
        ],
    ),
    (
        Tool::Read,
        [
            &["view"],
            &["Read"],
            &["Read"],
            &["read_file", "read_many_files"],
            &["Read", "TabRead"],
            &["view"],
            &["read_file", "ReadFile", "ReadFileTool", "Read"],
        ],
    ),
    (
        Tool::Write,
        [
            &["write"],
            &["Write"],
            &["apply_patch"],
            &["write_file"],
            &["Write", "TabWrite"],
            &["create"],
            &["write_file", "WriteFile", "WriteFileTool", "Write"],
        ],
    ),
    (
        Tool::Edit,
        [
            &["edit"],
            &["Edit"],
            &["apply_patch"],
            &["replace"],
            &["Write", "TabWrite"],
            &["edit"],
            &["edit", "Edit", "EditTool", "replace"],
        ],
    ),
    (
        Tool::MultiEdit,
        [
            &["multiedit"],
            &["MultiEdit"],
            &["apply_patch"],
            &["replace"],
            &["Write"],
            &["edit"],
            &["edit", "Edit", "EditTool", "replace"],
        ],
    ),
    (
        Tool::Glob,
        [&["glob"], &["Glob"], &["Glob"], &["glob"], &["Glob"], &["glob"], &["glob", "Glob", "GlobTool", "FindFiles"]],
    ),
    (
        Tool::Grep,
        [
            &["grep"],
            &["Grep"],
            &["Grep"],
            &["grep_search", "search_file_content"],
            &["Grep"],
            &["grep", "rg"],
            &["grep_search", "Grep", "GrepTool", "search_file_content", "SearchFiles"],
        ],
    ),
    (
        Tool::List,
        [
            &["ls"],
            &["LS"],
            &["LS"],
            &["list_directory"],
            &["LS"],
            &["ls"],
            &["list_directory", "ListFiles", "ListFilesTool", "ReadFolder"],
        ],
    ),
    (
        Tool::Fetch,
        [
            &["fetch"],
            &["WebFetch"],
            &["WebFetch"],
            &["web_fetch"],
            &["WebFetch"],
            &["web_fetch"],
            &["web_fetch", "WebFetch", "WebFetchTool"],
        ],
    ),
    (
        Tool::Search,
        [
            &["web_search"],
            &["WebSearch"],
            &["web_search"],
            &["google_web_search"],
            &["WebSearch"],
            &["web_search"],
            &["web_search", "WebSearch", "WebSearchTool"],
        ],
    ),
    (
        Tool::Agent,
        [
            &["agent"],
            &["Agent", "Task"],
            &["Task"],
            &["delegate_to_agent"],
            &["Task"],
            &["task"],
            &["agent", "Agent", "AgentTool", "task", "Task", "TaskTool"],
        ],
    ),
    (
        Tool::Todos,
        [
            &["todos"],
            &["TodoWrite"],
            &["update_plan"],
            &["write_todos"],
            &["TodoWrite"],
            &["update_todo"],
            &["todo_write", "TodoList", "TodoListTool", "TodoWrite", "TodoWriteTool"],
        ],
    ),
    (
        Tool::Notebook,
        [
            &[],
            &["NotebookEdit"],
            &[],
            &[],
            &["NotebookEdit"],
            &[],
            &["notebook_edit", "NotebookEdit", "NotebookEditTool"],
        ],
    ),
];

/// Names of tools that agents have: a matcher that matches none of them, and no name of the table, is likely a slip.
const LISTED: &[&str] = &[
    // Crush
    "agent",
    "agentic_fetch",
    "bash",
    "diagnostics",
    "download",
    "edit",
    "fetch",
    "glob",
    "grep",
    "job_kill",
    "job_output",
    "ls",
    "multiedit",
    "references",
    "sourcegraph",
    "todos",
    "view",
    "write",
    // Claude Code
    "Bash",
    "BashOutput",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "KillShell",
    "LS",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Read",
    "SlashCommand",
    "Skill",
    "Task",
    "TodoWrite",
    "WebFetch",
    "WebSearch",
    "Write",
    // Codex, Gemini CLI
    "apply_patch",
    "run_shell_command",
    "replace",
    "read_file",
    "write_file",
    "web_fetch",
    "google_web_search",
];

/// Names of tools that Claude Code has given up, and those that it has for them now: in its configs they mean the same.
const RENAMED: &[(&str, &str)] = &[
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("AgentOutputTool", "TaskOutput"),
    ("BashOutputTool", "TaskOutput"),
    ("AgentOutput", "TaskOutput"),
    ("BashOutput", "TaskOutput"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
];

/// What Claude Code calls a tool now.
pub(crate) fn current_name(name: &str) -> &str {
    RENAMED.iter().find(|(former, _)| *former == name).map_or(name, |(_, now)| now)
}

/// What kind of tool a name is of: the dialect's own meaning of the name first, then any other's.
pub(super) fn tool(name: &str, dialect: Dialect) -> Option<Tool> {
    let own = TOOLS.iter().find(|(_, names)| names.get(dialect as usize).is_some_and(|names| names.contains(&name)));
    own.or_else(|| TOOLS.iter().find(|(_, names)| names.iter().any(|names| names.contains(&name))))
        .map(|(tool, _)| *tool)
}

/// A tool's name as the dialect has it: a name that it knows, and one that nobody knows, stay as they are.
pub fn own_tool_name(name: &str, dialect: Dialect) -> Cow<'_, str> {
    let mut of_others = None;
    for (_, names) in TOOLS {
        let own = names.get(dialect as usize).copied().unwrap_or_default();
        if own.contains(&name) {
            // Qwen Code's others are names that only matchers have.
            let own_tool_name = own.first().copied().filter(|_| dialect == Dialect::Qwen);
            return own_tool_name.map_or(name.into(), Cow::Borrowed);
        }
        if of_others.is_none() && names.iter().any(|names| names.contains(&name)) {
            of_others = own.first();
        }
    }
    match of_others {
        Some(own) => Cow::Borrowed(own),
        None => mcp_name(name, dialect).map_or(name.into(), Cow::Owned),
    }
}

/// The names that a matcher for a tool may mean it by: its name in the dialect, the name that it came with, and others
/// that the dialect has for it.
pub fn names<'n>(name: &'n str, dialect: Dialect) -> Vec<Cow<'n, str>> {
    let own = own_tool_name(name, dialect);
    let mut all = vec![own.clone()];
    if dialect == Dialect::Qwen {
        all.extend(qwen::aliases(&own).iter().copied().map(Cow::Borrowed));
        return all;
    }
    if own != name {
        all.push(name.into());
    }
    // A matcher may have the name that a tool had before.
    if dialect == Dialect::Claude {
        let former = RENAMED.iter().filter(|(_, now)| *now == own).map(|(former, _)| *former);
        let former: Vec<&str> = former.filter(|former| *former != name).collect();
        all.extend(former.into_iter().map(Cow::Borrowed));
    }
    // Codex names files' changes by one tool, and lets matchers name it by Claude Code's.
    if dialect == Dialect::Codex && own == "apply_patch" {
        all.extend(["Edit", "Write"].map(Cow::Borrowed));
    }
    all
}

/// Does an agent have a tool of this name?
pub(crate) fn is_known(name: &str) -> bool {
    TOOLS.iter().any(|(_, all)| all.iter().any(|names| names.contains(&name)))
}

/// Does a matcher match any tool that an agent has?
pub(crate) fn any_known(matches: impl FnMut(&str) -> bool) -> bool {
    TOOLS.iter().flat_map(|(_, all)| all.iter().copied().flatten().copied()).chain(qwen::every()).any(matches)
}

/// Does a matcher match any tool that an agent has or had? Those of MCP servers nobody knows.
pub fn any_listed(mut matches: impl FnMut(&str) -> bool) -> bool {
    LISTED.iter().any(|name| matches(name)) || any_known(matches)
}

/// The tool that a name is meant for, if no agent has one of the name and it is only a slip of the pen for one.
pub fn slip_of(name: &str) -> Option<&'static str> {
    if is_mcp(name) || any_listed(|listed| listed == name) {
        return None;
    }
    let of_table = TOOLS.iter().flat_map(|(_, all)| all.iter().copied().flatten().copied());
    of_table.chain(LISTED.iter().copied()).find(|listed| is_slip(name, listed))
}

/// Does it match one of them that stands in no row of the table: that only one agent has?
pub fn any_unlisted(mut matches: impl FnMut(&str) -> bool) -> bool {
    LISTED.iter().any(|name| !is_known(name) && matches(name))
}

/// Names that Codex gives its model's shell, and never a hook.
const NEVER_TOLD: &[&str] = &["shell", "local_shell", "exec_command"];

/// Where a matcher only matches what other agents call their tools, or what no hook is told: what the dialect's own agent calls the
/// first of them. `matches` is asked for all names of a tool at once.
pub fn name_instead(mut matches: impl FnMut(&[&str]) -> bool, dialect: Dialect) -> Option<&'static str> {
    let mut instead = None;
    for (_, names) in TOOLS {
        let Some(own) = names.get(dialect as usize).filter(|own| !own.is_empty()) else { continue };
        let is_told = |name: &&str| dialect != Dialect::Codex || !NEVER_TOLD.contains(name);
        let aliases: &[&str] = if own.contains(&"apply_patch") { &["Edit", "Write"] } else { &[] };
        let told: Vec<&str> = own.iter().chain(aliases).copied().filter(is_told).collect();
        // Only Qwen Code has several for one tool.
        let is_matched = match dialect {
            Dialect::Qwen => matches(&told),
            _ => told.iter().any(|name| matches(&[name])),
        };
        if is_matched {
            return None;
        }
        if instead.is_none() && names.iter().copied().flatten().any(|name| matches(&[name])) {
            instead = own.first().copied();
        }
    }
    instead
}

/// All names that agents have for the kinds of tools that one is of, by its name in a dialect.
pub fn names_of_kind(name: &str, dialect: Dialect) -> impl Iterator<Item = &'static str> {
    let own = own_tool_name(name, dialect).into_owned();
    let is_of = move |names: &&(Tool, Names)| names.1.get(dialect as usize).is_some_and(|names| names.contains(&&*own));
    TOOLS.iter().filter(is_of).flat_map(|(_, names)| names.iter().copied().flatten().copied())
}

/// Is it a tool of an MCP server?
pub(super) fn is_mcp(name: &str) -> bool {
    name.starts_with("mcp_") || name.starts_with("MCP:")
}

/// The name of an MCP server's tool in a dialect. Where one `_` separates server and tool, the server is what stands
/// before the first.
fn mcp_name(name: &str, dialect: Dialect) -> Option<String> {
    let (server, tool) = match name.strip_prefix("mcp__") {
        Some(rest) => rest.split_once("__")?,
        None => name.strip_prefix("mcp_")?.split_once('_')?,
    };
    Some(match dialect {
        Dialect::Native | Dialect::Gemini => format!("mcp_{server}_{tool}"),
        Dialect::Claude | Dialect::Codex | Dialect::Qwen => format!("mcp__{server}__{tool}"),
        Dialect::Cursor => format!("MCP:{tool}"),
        Dialect::Copilot => format!("{server}-{tool}"),
    })
}

#[cfg(test)]
mod tests {
    use super::{names, own_tool_name};
    use crate::dialect::Dialect::{self, Claude, Codex, Copilot, Cursor, Gemini, Native};

    #[test]
    fn a_tool_has_its_name_in_every_dialect() {
        let cases: [(&str, Dialect, &str); 17] = [
            ("bash", Claude, "Bash"),
            ("Bash", Claude, "Bash"),
            ("run_shell_command", Claude, "Bash"),
            ("Bash", Gemini, "run_shell_command"),
            ("bash", Cursor, "Shell"),
            ("Bash", Copilot, "bash"),
            ("powershell", Copilot, "powershell"),
            ("edit", Claude, "Edit"),
            ("edit", Copilot, "edit"),
            ("multiedit", Codex, "apply_patch"),
            ("MultiEdit", Cursor, "Write"),
            ("view", Gemini, "read_file"),
            ("mcp_github_create_issue", Claude, "mcp__github__create_issue"),
            ("mcp__github__create_issue", Gemini, "mcp_github_create_issue"),
            ("mcp__github__create_issue", Cursor, "MCP:create_issue"),
            ("Read", Native, "view"),
            ("SomethingElse", Claude, "SomethingElse"),
        ];
        for (name, dialect, expected) in cases {
            assert_eq!(own_tool_name(name, dialect), expected, "{name} for {dialect}");
        }
        assert_eq!(names("edit", Codex), ["apply_patch", "edit", "Edit", "Write"]);
        assert_eq!(names("Bash", Claude), ["Bash"]);
    }
}
