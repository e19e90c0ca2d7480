//! Which addresses hooks may be sent to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Is it an address of a private network, of the link, or of a cloud's metadata (Claude Code 2.1.197)? Those of this machine are none.
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_private_v4(address),
        IpAddr::V6(address) => is_private_v6(address),
    }
}

fn is_private_v4(address: Ipv4Addr) -> bool {
    match address.octets() {
        [0 | 10, ..] | [169, 254, ..] | [192, 168, ..] => true,
        [172, second, ..] => (16..32).contains(&second),
        [100, second, ..] => (64..128).contains(&second),
        _ => false,
    }
}

fn is_private_v6(address: Ipv6Addr) -> bool {
    if let Some(address) = address.to_ipv4_mapped() {
        return is_private_v4(address);
    }
    let first = address.segments()[0];
    address.is_unspecified() || first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80
}

/// Is it this machine's own?
pub fn is_loopback(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback(),
        IpAddr::V6(address) => {
            address.is_loopback() || address.to_ipv4_mapped().is_some_and(|address| address.is_loopback())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{is_loopback, is_private};

    #[test]
    fn private_addresses_are_known_in_every_spelling() {
        let private = [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "::",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
        ];
        let public = [
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "::ffff:127.0.0.1",
            "1.1.1.1",
            "100.63.0.1",
            "100.128.0.1",
            "172.15.0.1",
            "172.32.0.1",
            "192.167.0.1",
            "169.253.0.1",
            "2001:db8::1",
            "fec0::1",
            "::ffff:1.1.1.1",
        ];
        for (addresses, expected) in [(&private[..], true), (&public[..], false)] {
            for address in addresses {
                assert_eq!(is_private(address.parse().unwrap()), expected, "{address}");
            }
        }
        for (address, expected) in [
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("128.0.0.1", false),
            ("::2", false),
        ] {
            assert_eq!(is_loopback(address.parse().unwrap()), expected, "{address}");
        }
    }
}
