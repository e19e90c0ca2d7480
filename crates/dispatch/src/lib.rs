//! Routing, interpreter look-up and the shell's exec seam.
