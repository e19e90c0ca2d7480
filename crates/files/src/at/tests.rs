use std::fs;

use super::{OPEN_LIMIT, Place, Way};

#[test]
fn few_directories_of_a_way_are_open_and_each_is_found_again() {
    let root = tempfile::tempdir().unwrap();
    let mut way = Way::default();
    let mut directory = Place::at(root.path().to_path_buf()).open_dir(true).unwrap();
    for _ in 0..200 {
        way.enter(directory.clone());
        let place = directory.entry("d".as_ref());
        place.make_dir(0o700).unwrap();
        directory = place.open_dir(false).unwrap();
    }
    let open = way.directories.iter().filter(|directory| directory.is_open()).count();
    assert!(open <= OPEN_LIMIT + 1, "{open}");
    // By its names, and then by way of the one below.
    assert_eq!(way.directories[100].list().unwrap().len(), 1);
    for _ in 0..150 {
        way.leave();
        let last = way.directories.last().unwrap();
        assert!(last.is_open());
        assert_eq!(last.list().unwrap().len(), 1);
    }
}

#[test]
fn a_directory_that_was_moved_is_not_taken_for_what_is_there_now() {
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::create_dir_all(at("a/b")).unwrap();
    let directory = Place::at(at("a")).open_dir(false).unwrap();
    directory.close();
    fs::rename(at("a"), at("moved")).unwrap();
    assert!(directory.list().is_err());
    fs::create_dir(at("a")).unwrap();
    assert!(directory.list().is_err());
    fs::remove_dir(at("a")).unwrap();
    fs::rename(at("moved"), at("a")).unwrap();
    assert_eq!(directory.list().unwrap().len(), 1);
}

#[test]
fn a_pinned_file_is_changed_whatever_its_name_leads_to() {
    use std::os::unix::fs::{MetadataExt, symlink};
    let root = tempfile::tempdir().unwrap();
    let at = |name: &str| root.path().join(name);
    fs::write(at("f"), "").unwrap();
    fs::write(at("victim"), "").unwrap();
    let mode = |name: &str| at(name).metadata().unwrap().mode() & 0o7777;
    Place::at(at("victim")).pin(true).unwrap().set_mode(0o600).unwrap();
    let pinned = Place::at(at("f")).pin(false).unwrap();
    fs::rename(at("f"), at("moved")).unwrap();
    symlink("victim", at("f")).unwrap();
    pinned.set_mode(0o751).unwrap();
    assert_eq!((mode("moved"), mode("victim")), (0o751, 0o600));
    // A link itself has no mode to set.
    assert!(Place::at(at("f")).pin(false).unwrap().set_mode(0o777).is_err());
    assert_eq!(mode("victim"), 0o600);
}
