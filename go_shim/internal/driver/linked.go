package driver

import (
	"runtime/debug"
	"strings"
)

// Linked returns a module that is linked into this binary; nil if there is none.
func Linked(path string) *debug.Module {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return nil
	}
	for _, module := range info.Deps {
		if module.Path == path {
			return module
		}
	}
	return nil
}

// LinkedVersion returns the version of a library that is linked into this binary: the replacement's, not the required
// one. `local` is the digest of the checkout that it was built with, if any.
func LinkedVersion(path, local string) string {
	module := Linked(path)
	if module == nil {
		return "unknown"
	}
	reported := module.Version
	switch {
	case local != "": // the binary reports "(devel)" for a folder in place of a module
		reported += "+local." + local
	case module.Replace != nil:
		reported = module.Replace.Version
	}
	return strings.TrimPrefix(reported, "v")
}
