package driver

import (
	"io"
	"os"
	"syscall"
)

// dieWithStdin waits for the end of standard input, which the orchestrator holds open: it comes even if the
// orchestrator was killed.
func dieWithStdin() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	die()
}

// die ends the whole process group, if it is ours to end.
func die() {
	if syscall.Getpgrp() == os.Getpid() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
	os.Exit(0)
}
