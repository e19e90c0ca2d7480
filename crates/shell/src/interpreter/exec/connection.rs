//! Connections as targets of redirections, as bash has them: `/dev/tcp/HOST/PORT` and `/dev/udp/HOST/PORT`.

use std::fs::File;
use std::io;

/// What a redirection connects to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Endpoint {
    protocol: Protocol,
    /// A name or an address.
    host: String,
    /// A number, or a name of `/etc/services`.
    service: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Protocol {
    Tcp,
    Udp,
}

/// Why there is no connection: bash writes two lines for it.
#[derive(Debug)]
pub(super) enum Refused {
    /// The name of the host or service is not known: `NAME: reason`, and then that the path is an invalid argument.
    Name(String),
    /// The host does not take the connection.
    #[cfg_attr(windows, allow(dead_code, reason = "Windows has no connections as files"))]
    Connect(io::Error),
    /// This system cannot read and write a connection as a file.
    #[cfg_attr(unix, allow(dead_code, reason = "Unix can"))]
    Unsupported,
}

impl Endpoint {
    /// `None`: the path is an ordinary one.
    pub(super) fn of_path(path: &[u8]) -> Option<Self> {
        let (protocol, rest) = match path.strip_prefix(b"/dev/tcp/") {
            Some(rest) => (Protocol::Tcp, rest),
            None => (Protocol::Udp, path.strip_prefix(b"/dev/udp/")?),
        };
        let slash = rest.iter().position(|&byte| byte == b'/')?;
        let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
        Some(Self { protocol, host: text(&rest[..slash]), service: text(&rest[slash + 1..]) })
    }

    /// Looks the host up and connects: it may wait for long.
    pub(super) fn connect(&self) -> Result<File, Refused> {
        let Some(port) = self.port() else {
            return Err(Refused::Name(format!("{}: Servname not supported for ai_socktype", self.service)));
        };
        self.connect_to(port)
    }

    #[cfg(unix)]
    fn connect_to(&self, port: u16) -> Result<File, Refused> {
        use std::net::{TcpStream, ToSocketAddrs};
        use std::os::fd::OwnedFd;

        hookshell_process::system::prepare_host_names();
        let addresses: Vec<_> = hookshell_process::while_not_copied(|| (&*self.host, port).to_socket_addrs())
            .map_err(|error| {
                let text = error.to_string();
                let reason = text.rsplit(": ").next().unwrap_or_default();
                Refused::Name(format!("{}: {reason}", self.host))
            })?
            .collect();
        let socket = match self.protocol {
            Protocol::Tcp => TcpStream::connect(&*addresses).map(OwnedFd::from),
            Protocol::Udp => connect_udp(&addresses).map(OwnedFd::from),
        };
        socket.map(File::from).map_err(Refused::Connect)
    }

    #[cfg(not(unix))]
    fn connect_to(&self, _: u16) -> Result<File, Refused> {
        Err(Refused::Unsupported)
    }

    /// getaddrinfo(3) takes a number modulo 65536, and nothing for 0.
    fn port(&self) -> Option<u16> {
        let digits = self.service.trim_ascii_start();
        let digits = digits.strip_prefix('+').unwrap_or(digits);
        if digits.bytes().all(|byte| byte.is_ascii_digit()) {
            let number: i32 = if digits.is_empty() { 0 } else { digits.parse().ok()? };
            return Some((number & 0xffff) as u16);
        }
        let protocol = match self.protocol {
            Protocol::Tcp => "tcp",
            Protocol::Udp => "udp",
        };
        port_of_service(&std::fs::read_to_string("/etc/services").ok()?, &self.service, protocol)
    }
}

/// The port of a service in the text of services(5).
fn port_of_service(services: &str, name: &str, protocol: &str) -> Option<u16> {
    services.lines().find_map(|line| {
        let mut fields = line.split('#').next()?.split_ascii_whitespace();
        let official = fields.next()?;
        let (port, of) = fields.next()?.split_once('/')?;
        (of == protocol && (official == name || fields.any(|alias| alias == name))).then(|| port.parse().ok())?
    })
}

/// A socket whose datagrams go to the first of these addresses that can be reached.
#[cfg(unix)]
fn connect_udp(addresses: &[std::net::SocketAddr]) -> io::Result<std::net::UdpSocket> {
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for address in addresses {
        let any = if address.is_ipv4() { IpAddr::from(Ipv4Addr::UNSPECIFIED) } else { Ipv6Addr::UNSPECIFIED.into() };
        match UdpSocket::bind((any, 0)).and_then(|socket| socket.connect(address).map(|()| socket)) {
            Ok(socket) => return Ok(socket),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::{Endpoint, Protocol, port_of_service};

    #[test]
    fn paths_of_connections_are_told_from_others() {
        let endpoint = |path: &str| Endpoint::of_path(path.as_bytes()).map(|e| (e.protocol, e.host, e.service));
        assert_eq!(endpoint("/dev/tcp/localhost/80"), Some((Protocol::Tcp, "localhost".into(), "80".into())));
        assert_eq!(endpoint("/dev/udp/::1/domain"), Some((Protocol::Udp, "::1".into(), "domain".into())));
        assert_eq!(endpoint("/dev/tcp/h/1/2"), Some((Protocol::Tcp, "h".into(), "1/2".into())));
        assert_eq!(endpoint("/dev/tcp//"), Some((Protocol::Tcp, "".into(), "".into())));
        for path in ["/dev/tcp", "/dev/tcp/", "/dev/tcp/localhost", "/dev/tc/h/1", "dev/tcp/h/1", "/dev//tcp/h/1"] {
            assert_eq!(endpoint(path), None, "{path}");
        }
    }

    #[test]
    fn ports_are_numbers_as_the_c_library_takes_them() {
        let port = |service: &str| Endpoint::of_path(format!("/dev/tcp/h/{service}").as_bytes()).and_then(|e| e.port());
        for (service, expected) in [
            ("80", Some(80)),
            ("", Some(0)),
            ("+7", Some(7)),
            ("007", Some(7)),
            ("65537", Some(1)),
            ("99999999999", None),
            ("-1", None),
            ("1x", None),
            ("0x1", None),
            ("1/", None),
        ] {
            assert_eq!(port(service), expected, "{service}");
        }
    }

    #[test]
    fn services_have_names_aliases_and_comments() {
        let services = "# comment\n\nhttp\t80/tcp www # web\ndomain 53/tcp\ndomain 53/udp\nodd\nfar 99999/tcp\n";
        for (name, protocol, expected) in [
            ("http", "tcp", Some(80)),
            ("www", "tcp", Some(80)),
            ("http", "udp", None),
            ("web", "tcp", None),
            ("domain", "udp", Some(53)),
            ("far", "tcp", None),
            ("odd", "tcp", None),
        ] {
            assert_eq!(port_of_service(services, name, protocol), expected, "{name}/{protocol}");
        }
    }
}
