//! A file's first bytes read as the kernel and GNU env read a #! line.
