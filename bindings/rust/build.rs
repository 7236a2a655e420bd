//! Links libtoadstone: from TOADSTONE_LIB_DIR where that is set, else from where the linker looks.
fn main() {
    println!("cargo:rerun-if-env-changed=TOADSTONE_LIB_DIR");
    if let Ok(dir) = std::env::var("TOADSTONE_LIB_DIR") {
        println!("cargo:rustc-link-search=native={dir}");
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
    println!("cargo:rustc-link-lib=dylib=toadstone");
}
