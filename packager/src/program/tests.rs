use super::entries::{Kind, kind};
use crate::extension::provider_names;

#[test]
fn files_are_known_by_their_names() {
    for (path, expected) in [
        ("a/B.class", Kind::Class),
        ("META-INF/versions/11/a/B.class", Kind::Class),
        ("META-INF/btrace/agent/a/B.classdata", Kind::Class),
        ("agent/a/B.esclazz", Kind::Class),
        ("module-info.class", Kind::Other),
        ("META-INF/services/a.Spi", Kind::Services("a.Spi")),
        ("inst/META-INF/services/a.Spi", Kind::Services("a.Spi")),
        ("xMETA-INF/services/a.Spi", Kind::Other),
        ("META-INF/MANIFEST.MF", Kind::Manifest),
        ("native/linux/libx.so", Kind::Library),
        ("native/libx.so.1.2", Kind::Library),
        ("native/x.DLL", Kind::Library),
        ("a/so.txt", Kind::Other),
    ] {
        assert_eq!(kind(path), expected, "{path}");
    }
}

#[test]
fn providers_stand_on_lines_without_comments() {
    assert_eq!(provider_names(b"# note\r\na.B # c\n\n a.C"), ["a.B", "a.C"]);
}
