//! Tells cargo that the program holds the migrations: a new one is a change.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
