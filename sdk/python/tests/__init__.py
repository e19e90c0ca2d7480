"""Tests of the package. ``python -m tests`` in ``sdk/python`` runs them; HOOKSHELL_BIN names the hookshell that is tested."""
