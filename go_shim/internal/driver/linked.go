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
	case module.Replace != nil && module.Replace.Version != "":
		reported = module.Replace.Version
	case module.Replace != nil:
		reported += "+local." + local
	}
	return strings.TrimPrefix(reported, "v")
}
