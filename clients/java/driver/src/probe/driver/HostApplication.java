package probe.driver;

import java.util.List;
import java.util.stream.Collectors;
import probe.driver.v1.Start;

/** An application with kafka-clients inside. It is driven in some of the library's roles. */
interface HostApplication extends Application {
    Library library();

    List<Role> driven();

    /** The library's, unless the application has releases of its own. */
    @Override
    default String version() {
        return library().version();
    }

    @Override
    default List<String> roles() {
        return driven().stream().map(Role::word).collect(Collectors.toList());
    }

    @Override
    default List<String> profiles() {
        return Profiles.ofApplications(library());
    }

    /** Throws UnsupportedException for a role in which neither the library nor the application is driven. */
    default Role role(Start start) {
        Role role = Roles.of(start, library());
        if (!driven().contains(role)) {
            throw new UnsupportedException(family() + " is not driven in the role " + role.word());
        }
        return role;
    }
}
