//! What Qwen Code calls its tools, and how its matchers name them.

use crate::matcher::{Matcher, MatcherError};

/// Its tools by the names that payloads have, each with the other names that a matcher may give it: as they are shown, those
/// with `Tool`, older ones, and some of Claude Code's.
#[rustfmt::skip]
const ALIASES: &[(&str, &[&str])] = &[
    ("exec", &["Exec", "ExecTool"]),
    ("edit", &["Edit", "EditTool", "replace"]),
    ("write_file", &["WriteFile", "WriteFileTool", "Write"]),
    ("read_file", &["ReadFile", "ReadFileTool", "Read"]),
    ("zoom_image", &["ZoomImage", "ZoomImageTool"]),
    ("grep_search", &["Grep", "GrepTool", "search_file_content", "SearchFiles"]),
    ("glob", &["Glob", "GlobTool", "FindFiles"]),
    ("run_shell_command", &["Shell", "ShellTool", "Bash"]),
    ("todo_write", &["TodoList", "TodoListTool", "TodoWrite", "TodoWriteTool"]),
    ("save_memory", &["SaveMemory", "SaveMemoryTool"]),
    ("agent", &["Agent", "AgentTool", "task", "Task", "TaskTool"]),
    ("skill", &["Skill", "SkillTool"]),
    ("exit_plan_mode", &["ExitPlanMode", "ExitPlanModeTool"]),
    ("enter_plan_mode", &["EnterPlanMode", "EnterPlanModeTool"]),
    ("web_fetch", &["WebFetch", "WebFetchTool"]),
    ("web_search", &["WebSearch", "WebSearchTool"]),
    ("image_gen", &["ImageGen", "ImageGenTool"]),
    ("list_directory", &["ListFiles", "ListFilesTool", "ReadFolder"]),
    ("lsp", &["Lsp", "LspTool"]),
    ("ask_user_question", &["AskUserQuestion", "AskUserQuestionTool"]),
    ("cron_create", &["CronCreate", "CronCreateTool"]),
    ("cron_list", &["CronList", "CronListTool"]),
    ("cron_delete", &["CronDelete", "CronDeleteTool"]),
    ("loop_wakeup", &["LoopWakeup", "LoopWakeupTool"]),
    ("create_sub_session", &["CreateSubSession", "CreateSubSessionTool"]),
    ("list_agents", &["ListAgents", "ListAgentsTool"]),
    ("task_stop", &["TaskStop", "TaskStopTool"]),
    ("task_create", &["TaskCreate", "TaskCreateTool"]),
    ("task_update", &["TaskUpdate", "TaskUpdateTool"]),
    ("task_list", &["TaskList", "TaskListTool"]),
    ("team_create", &["TeamCreate", "TeamCreateTool"]),
    ("team_delete", &["TeamDelete", "TeamDeleteTool"]),
    ("team_plan_approval", &["TeamPlanApproval", "TeamPlanApprovalTool"]),
    ("request_shutdown", &["RequestShutdown", "RequestShutdownTool"]),
    ("send_message", &["SendMessage", "SendMessageTool"]),
    ("structured_output", &["StructuredOutput", "StructuredOutputTool"]),
    ("monitor", &["Monitor", "MonitorTool"]),
    ("notebook_edit", &["NotebookEdit", "NotebookEditTool"]),
    ("tool_call", &["ToolCall", "ToolCallTool"]),
    ("tool_search", &["ToolSearch", "ToolSearchTool"]),
    ("read_mcp_resource", &["ReadMcpResource", "ReadMcpResourceTool"]),
    ("enter_worktree", &["EnterWorktree", "EnterWorktreeTool"]),
    ("exit_worktree", &["ExitWorktree", "ExitWorktreeTool"]),
    ("workflow", &["Workflow", "WorkflowTool"]),
    ("artifact", &["Artifact", "ArtifactTool"]),
    ("record_artifact", &["RecordArtifact", "RecordArtifactTool"]),
    ("record_source", &["RecordSource", "RecordSourceTool"]),
    ("report_findings", &["ReportFindings", "ReportFindingsTool"]),
    ("get_goal", &["Goal", "GoalTool", "GetGoal"]),
    ("update_goal", &["UpdateGoal", "UpdateGoalTool"]),
    ("omni_downsample_image", &["DownsampleImage", "DownsampleImageTool"]),
    ("omni_downscale_video", &["DownscaleVideo", "DownscaleVideoTool"]),
    ("omni_downsample_audio", &["DownsampleAudio", "DownsampleAudioTool"]),
    ("omni_extract_keyframes", &["ExtractKeyframes", "ExtractKeyframesTool"]),
    ("omni_extract_audio", &["ExtractAudio", "ExtractAudioTool"]),
    ("omni_clip_video", &["ClipVideo", "ClipVideoTool"]),
    ("omni_convert_image", &["ConvertImage", "ConvertImageTool"]),
    ("omni_transcribe_audio", &["TranscribeAudio", "TranscribeAudioTool"]),
    ("omni_clip_image", &["ClipImage", "ClipImageTool"]),
    ("omni_clip_audio", &["ClipAudio", "ClipAudioTool"]),
    ("omni_caption_image", &["CaptionImage", "CaptionImageTool"]),
    ("omni_caption_audio", &["CaptionAudio", "CaptionAudioTool"]),
    ("omni_ocr_image", &["OcrImage", "OcrImageTool"]),
    ("omni_understand_video_segments", &["UnderstandVideoSegments", "UnderstandVideoSegmentsTool"]),
    ("omni_recall_media_memory", &["RecallMediaMemory", "RecallMediaMemoryTool"]),
    ("propose_goal", &["ProposeGoal", "ProposeGoalTool"]),
    ("display_image", &["DisplayImage", "DisplayImageTool"]),
];

/// The other names of a tool.
pub(crate) fn aliases(name: &str) -> &'static [&'static str] {
    ALIASES.iter().find(|(own, _)| *own == name).map_or(&[], |(_, aliases)| aliases)
}

/// All names that its tools have.
pub(crate) fn every() -> impl Iterator<Item = &'static str> {
    ALIASES.iter().flat_map(|(own, aliases)| std::iter::once(*own).chain(aliases.iter().copied()))
}

/// Reads a matcher: a name or alias that is exactly the tool's, each of a list that `|` separates, or else all of it as an
/// unanchored regular expression of JavaScript's on the name that payloads have. `*` and `.*` are everything, alone and in a list.
///
/// # Errors
/// It is no regular expression, and no list whose names could count all the same.
pub(super) fn matcher(pattern: &str) -> Result<Matcher, MatcherError> {
    let trimmed = trim(pattern);
    let is_all = |entry: &str| matches!(entry, "*" | ".*");
    if trimmed.is_empty() || is_all(trimmed) {
        return Ok(Matcher::default());
    }
    let is_list = trimmed.contains('|') && !trimmed.starts_with(['^', '(']);
    if !is_list {
        return Ok(Matcher::names_or_regex(pattern, vec![trimmed.to_owned()], Some(Matcher::of_javascript(trimmed)?)));
    }
    let entries: Vec<&str> = entries(trimmed).into_iter().map(trim_entry).filter(|entry| !entry.is_empty()).collect();
    if entries.iter().any(|entry| is_all(entry)) {
        return Ok(Matcher::default());
    }
    let names = std::iter::once(trimmed).chain(entries.iter().copied()).map(str::to_owned).collect();
    let regex = match entries.is_empty() {
        true => None,
        false => match Matcher::of_javascript(&entries.join("|")) {
            Ok(regex) => Some(regex),
            // Of several the names still count.
            Err(_) if entries.len() > 1 => None,
            Err(error) => return Err(error.into()),
        },
    };
    Ok(Matcher::names_or_regex(pattern, names, regex))
}

/// The parts between the `|` that stand in no parentheses and no brackets, and behind no backslash.
fn entries(pattern: &str) -> Vec<&str> {
    let (mut entries, mut start) = (Vec::new(), 0);
    let (mut is_escaped, mut in_class, mut depth) = (false, false, 0_usize);
    for (at, character) in pattern.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ']' if in_class => in_class = false,
            _ if in_class => {}
            '[' => in_class = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '|' if depth == 0 => {
                entries.push(pattern.get(start..at).unwrap_or_default());
                start = at + 1;
            }
            _ => {}
        }
    }
    entries.push(pattern.get(start..).unwrap_or_default());
    entries
}

/// Without the blanks around it; one that a backslash escapes stays.
fn trim(pattern: &str) -> &str {
    trim_entry(pattern)
}

fn trim_entry(entry: &str) -> &str {
    let start = entry.trim_start();
    let mut end = start.len();
    while let Some(last) =
        start.get(..end).and_then(|text| text.chars().next_back()).filter(|last| last.is_whitespace())
    {
        let before = end - last.len_utf8();
        let backslashes =
            start.get(..before).unwrap_or_default().bytes().rev().take_while(|byte| *byte == b'\\').count();
        if backslashes % 2 == 1 {
            break;
        }
        end = before;
    }
    start.get(..end).unwrap_or_default()
}
