package driver

import (
	"io"
	"os"
	"syscall"
)

// exitWithParent waits for the end of standard input, which the orchestrator holds open: it also ends when the
// orchestrator was killed.
func exitWithParent() {
	_, _ = io.Copy(io.Discard, os.Stdin)
	exit()
}

// exit ends the whole process group, if this process leads it.
func exit() {
	if syscall.Getpgrp() == os.Getpid() {
		_ = syscall.Kill(0, syscall.SIGKILL)
	}
	os.Exit(0)
}
