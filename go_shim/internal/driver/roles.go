package driver

import (
	"strings"

	"github.com/kafka-metadata-probe/go_shim/internal/driverpb"
)

// Role is a role of driver.proto that a library can play; C is the library's configuration.
type Role[C any] struct {
	Name string
	Open func(configuration C, start *driverpb.Start, out *Instance) (Client, error)
}

// Roles are the roles of one version of a library.
type Roles[C any] []Role[C]

// Names lists the roles.
func (r Roles[C]) Names() []string {
	names := make([]string, len(r))
	for index, role := range r {
		names[index] = role.Name
	}
	return names
}

// Opener returns the Library.Open of these roles. `configure` builds the configuration of an instance; Unsupported where
// the role, its workload, or part of the configuration, does not exist.
func (r Roles[C]) Opener(
	client string, configure func(start *driverpb.Start, out *Instance) (C, error), missing ...MissingWorkload,
) func(start *driverpb.Start, out *Instance) (Client, error) {
	return func(start *driverpb.Start, out *Instance) (Client, error) {
		for _, role := range r {
			if role.Name != start.Role {
				continue
			}
			if err := checkWorkload(client, start, missing); err != nil {
				return nil, err
			}
			configuration, err := configure(start, out)
			if err != nil {
				return nil, err
			}
			return role.Open(configuration, start, out)
		}
		return nil, Refuse("%s has no role %q; it has %s", client, start.Role, strings.Join(r.Names(), ", "))
	}
}
