package driver

import (
	"runtime/debug"
	"strings"
)

// Linked finds a module in this binary; nil if it is not linked in.
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

// LinkedVersion is what the binary says of a library linked into it; a replacement is the truth, the requirement is not.
// `local` is the digest of the checkout that it was built with, if it was.
func LinkedVersion(path, local string) string {
	module := Linked(path)
	if module == nil {
		return "unknown"
	}
	reported := module.Version
	switch {
	case local != "": // of a folder that stands in for a module, the binary says "(devel)"
		reported += "+local." + local
	case module.Replace != nil:
		reported = module.Replace.Version
	}
	return strings.TrimPrefix(reported, "v")
}
