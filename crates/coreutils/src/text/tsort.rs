//! `tsort`: order names so that each comes after those that it depends on.

use std::collections::BTreeMap;
use std::collections::VecDeque;

use hookshell_utility::input::Input;
use hookshell_utility::io::{Failure, PER_LINE, Running};
use hookshell_utility::options::parse;
use hookshell_utility::output::Output;
use hookshell_utility::quote;
use hookshell_utility::utility;
use hookshell_utility::{Unsupported, UtilityCall};

utility! {
    /// `tsort [FILE]` (XCU `tsort`), in the order of GNU's.
    Tsort, "tsort"
}

struct Command<'a> {
    file: &'a [u8],
}

fn read<'a>(call: &UtilityCall<'a>) -> Result<Command<'a>, Unsupported> {
    let parsed = parse(call.argv, &[])?;
    match parsed.operands[..] {
        [] => Ok(Command { file: b"-" }),
        [file] => Ok(Command { file }),
        _ => Err(Unsupported::mistake("several files")),
    }
}

/// A name with what comes after it.
#[derive(Default)]
struct Item {
    name: Vec<u8>,
    /// How many are in front of it that were not printed yet.
    count: usize,
    /// The last that was read comes first.
    successors: Vec<usize>,
    printed: bool,
    /// The next one of the loop that is looked for.
    link: Option<usize>,
}

#[derive(Default)]
struct Graph {
    items: Vec<Item>,
    by_name: BTreeMap<Vec<u8>, usize>,
}

impl Graph {
    fn item(&mut self, name: &[u8]) -> usize {
        if let Some(at) = self.by_name.get(name) {
            return *at;
        }
        let at = self.items.len();
        self.items.push(Item { name: name.to_vec(), ..Item::default() });
        self.by_name.insert(name.to_vec(), at);
        at
    }

    fn relate(&mut self, before: usize, after: usize) {
        if before == after {
            return;
        }
        if let Some(item) = self.items.get_mut(before) {
            item.successors.push(after);
        }
        if let Some(item) = self.items.get_mut(after) {
            item.count += 1;
        }
    }
}

fn run(running: &Running<'_>, command: Command<'_>) -> Result<u8, Failure> {
    let mut input = match running.open(command.file)? {
        Ok(source) => Input::new(source),
        Err(error) => {
            running.report_error(&quote::if_needed(command.file), &error)?;
            return Ok(1);
        }
    };
    let name = quote::if_needed(command.file);
    let mut out = Output::new(running);
    let mut graph = Graph::default();
    let (mut kept, mut size) = (running.keep(), 0);
    let mut before = None;
    while let Some(line) = input.text(running, b'\n')? {
        for word in line.split(|byte| matches!(byte, b' ' | b'\t')).filter(|word| !word.is_empty()) {
            size += word.len() * 2 + 3 * PER_LINE;
            let item = graph.item(word);
            match before.take() {
                None => before = Some(item),
                Some(first) => graph.relate(first, item),
            }
        }
        kept.set(size)?;
    }
    if let Some(error) = &input.error {
        out.report_error(&[&name[..], b": read error"].concat(), error)?;
        return Ok(1);
    }
    if before.is_some() {
        out.message(&[&name[..], b": input contains an odd number of tokens"].concat())?;
        return Ok(1);
    }
    let sorted: Vec<usize> = graph.by_name.values().copied().collect();
    let mut items = graph.items;
    let mut left = items.len();
    let mut status = 0;
    while left > 0 {
        running.check()?;
        let is_free = |at: &usize| items.get(*at).is_some_and(|item| item.count == 0 && !item.printed);
        let mut free: VecDeque<usize> = sorted.iter().copied().filter(is_free).collect();
        while let Some(at) = free.pop_front() {
            let Some(item) = items.get_mut(at) else { continue };
            item.printed = true;
            left -= 1;
            out.push(&item.name)?;
            out.byte(b'\n')?;
            for after in std::mem::take(&mut item.successors).into_iter().rev() {
                let Some(item) = items.get_mut(after) else { continue };
                item.count -= 1;
                if item.count == 0 {
                    free.push_back(after);
                }
            }
        }
        if left > 0 {
            out.message(&[&name[..], b": input contains a loop:"].concat())?;
            status = 1;
            let mut head = None;
            while !break_loop(&mut items, &sorted, &mut head, &mut out)? {}
        }
    }
    out.flush()?;
    Ok(status)
}

/// Walks through all names once, to follow a loop against its direction, from `head` on; where it is closed, prints it and
/// removes one relation of it. `false`: the walk has to be repeated.
fn break_loop(
    items: &mut [Item],
    sorted: &[usize],
    head: &mut Option<usize>,
    out: &mut Output<'_, '_>,
) -> Result<bool, Failure> {
    for &at in sorted {
        out.running().check()?;
        let Some(item) = items.get_mut(at).filter(|item| item.count > 0) else { continue };
        let Some(of) = *head else {
            *head = Some(at);
            continue;
        };
        let Some(place) = item.successors.iter().rposition(|successor| *successor == of) else { continue };
        if item.link.is_none() {
            item.link = Some(of);
            *head = Some(at);
            continue;
        }
        item.successors.remove(place);
        let mut is_printed = true;
        while let Some(member) = head.take() {
            let Some(item) = items.get_mut(member) else { break };
            *head = item.link.take();
            if is_printed {
                out.message(&item.name)?;
            }
            is_printed &= member != at;
        }
        if let Some(item) = items.get_mut(of) {
            item.count -= 1;
        }
        return Ok(true);
    }
    Ok(head.is_none())
}
