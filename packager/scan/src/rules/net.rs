//! Networking.

use manifests::permission::Permission::{self, Classloader, Network};

use super::Rule;

const NETWORK: &[Permission] = &[Network];
const BOTH: &[Permission] = &[Network, Classloader];

pub(super) const RULES: &[Rule] = &[
    Rule::all("java/net/", NETWORK, "reaches the network"),
    Rule::all("java/net/URLClassLoader", BOTH, "loads classes, from the network too"),
    Rule::all("java/net/URI", &[], "is a text with parts"),
    Rule::of("java/net/URI", &["toURL"], NETWORK, "makes something that opens connections"),
    Rule::all("java/net/URLEncoder", &[], "changes texts"),
    Rule::all("java/net/URLDecoder", &[], "changes texts"),
    Rule::of("java/net/URL", &["hashCode", "equals"], NETWORK, "asks name servers"),
    Rule::all("java/net/URL", NETWORK, "opens connections"),
    Rule::all("java/net/URISyntaxException", &[], "is only thrown"),
    Rule::all("java/net/MalformedURLException", &[], "is only thrown"),
    Rule::all("java/net/UnknownHostException", &[], "is only thrown"),
    Rule::all("java/net/UnknownServiceException", &[], "is only thrown"),
    Rule::all("java/net/SocketException", &[], "is only thrown"),
    Rule::all("java/net/SocketTimeoutException", &[], "is only thrown"),
    Rule::all("java/net/ConnectException", &[], "is only thrown"),
    Rule::all("java/net/BindException", &[], "is only thrown"),
    Rule::all("java/net/NoRouteToHostException", &[], "is only thrown"),
    Rule::all("java/net/PortUnreachableException", &[], "is only thrown"),
    Rule::all("java/net/ProtocolException", &[], "is only thrown"),
    Rule::all("java/net/HttpRetryException", &[], "is only thrown"),
    Rule::all("javax/net/", NETWORK, "reaches the network"),
    Rule::all("javax/net/ssl/SSLException", &[], "is only thrown"),
    Rule::all("javax/net/ssl/SSLHandshakeException", &[], "is only thrown"),
    Rule::all("javax/net/ssl/SSLKeyException", &[], "is only thrown"),
    Rule::all("javax/net/ssl/SSLPeerUnverifiedException", &[], "is only thrown"),
    Rule::all("javax/net/ssl/SSLProtocolException", &[], "is only thrown"),
    Rule::all("java/nio/channels/SocketChannel", NETWORK, "opens connections"),
    Rule::all("java/nio/channels/ServerSocketChannel", NETWORK, "accepts connections"),
    Rule::all("java/nio/channels/DatagramChannel", NETWORK, "sends datagrams"),
    Rule::all("java/nio/channels/AsynchronousSocketChannel", NETWORK, "opens connections"),
    Rule::all("java/nio/channels/AsynchronousServerSocketChannel", NETWORK, "accepts connections"),
    Rule::all("java/nio/channels/AsynchronousChannelGroup", NETWORK, "serves connections"),
    Rule::all("java/nio/channels/NetworkChannel", NETWORK, "binds to addresses"),
    Rule::all("java/nio/channels/MulticastChannel", NETWORK, "joins groups of hosts"),
    Rule::all("java/nio/channels/spi/SelectorProvider", NETWORK, "opens channels"),
    Rule::all("java/rmi/", NETWORK, "calls other processes"),
    Rule::all("javax/naming/", BOTH, "asks directories, which may name classes to load"),
    Rule::all("java/sql/DriverManager", BOTH, "loads drivers and connects to databases"),
    Rule::all("javax/sql/", NETWORK, "connects to databases"),
    Rule::all("javax/management/remote/", NETWORK, "connects to other processes"),
    Rule::all("java/util/logging/SocketHandler", NETWORK, "sends log records"),
    Rule::all("com/sun/net/", NETWORK, "reaches the network"),
    Rule::all("com/sun/nio/sctp/", NETWORK, "reaches the network"),
    Rule::all("sun/net/", NETWORK, "reaches the network"),
    Rule::all("jdk/net/", NETWORK, "changes sockets"),
    Rule::all("jdk/internal/net/", NETWORK, "reaches the network"),
    Rule::all("sun/nio/ch/", NETWORK, "opens channels"),
];
