package dev.offsetd.server.access.users;

import dev.offsetd.server.access.SignedIn;
import dev.offsetd.server.access.User;
import java.util.Collection;
import java.util.List;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.security.core.userdetails.UserDetails;

/** A user who signs in with a password. */
record PasswordAccount(User user, String passwordHash) implements UserDetails, SignedIn {

    @Override
    public Collection<? extends GrantedAuthority> getAuthorities() {
        return List.of();
    }

    @Override
    public String getPassword() {
        return passwordHash;
    }

    @Override
    public String getUsername() {
        return user.name();
    }
}
