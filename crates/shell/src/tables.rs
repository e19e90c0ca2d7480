//! Variables that show one of the shell's own tables: BASH_ALIASES, BASH_CMDS.

use crate::shell::Shell;
use crate::vars::{AssociativeArray, SlotId, Value, Variable};

impl Shell {
    /// Shows one of the shell's own tables in its variable, where that still is one.
    pub(crate) fn set_table(&mut self, name: &[u8], entries: impl Iterator<Item = (Vec<u8>, Vec<u8>)>) {
        let Some(id) = self.vars.find_bytes(name).filter(|&id| self.vars.special(id).is_table()) else { return };
        let Some(Variable { value: Value::Associative(array), .. }) = self.vars.change(id) else { return };
        **array = AssociativeArray::default();
        entries.for_each(|(key, value)| array.set(&key, value));
    }

    /// Sets or takes away one entry of a variable that shows one of the shell's tables.
    pub(crate) fn set_table_entry(&mut self, name: &[u8], key: &[u8], value: Option<&[u8]>) {
        let Some(id) = self.vars.find_bytes(name).filter(|&id| self.vars.special(id).is_table()) else { return };
        let Some(Variable { value: Value::Associative(array), .. }) = self.vars.change(id) else { return };
        match value {
            Some(value) => array.set(key, value.to_vec()),
            None => {
                array.remove(key);
            }
        }
    }

    /// The elements of a variable that shows one of the shell's tables.
    pub(crate) fn table(&self, id: SlotId) -> Vec<(Vec<u8>, Vec<u8>)> {
        match self.vars.get(id).map(|v| &v.value) {
            Some(Value::Associative(array)) => array.iter().map(|(k, v)| (k.to_vec(), v.to_vec())).collect(),
            _ => Vec::new(),
        }
    }
}
