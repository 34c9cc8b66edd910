# Gets single packages of other suites and architectures of Debian than this machine's, and Python's that are
# in none. For toolchains/jobs.

# Where this machine has Debian's packages from, as apt reads its own configuration.
mirrors() {
    apt-get --print-uris update 2> /dev/null |
        sed -n "s|^'\\(.*\\)/dists/[^']*InRelease'.*|\\1|p" | sort -u
}

# download <suite> <architecture> <package>: into $scratch, with a state of apt's own, so that this
# machine's stays as it is, whatever it runs. Of a package that only names the current kernel, that
# kernel. A mirror without that suite (security updates, other vendors) says so, and the next one is
# asked.
download() {
    local suite=$1 package=$3 mirror kernel signed_by=""
    local keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    if [ -e "$keyring" ]; then signed_by="signed-by=$keyring"; fi
    mkdir -p "$scratch/state/lists/partial" "$scratch/cache/archives/partial"
    local own=(-o Dir::State="$scratch/state" -o Dir::Cache="$scratch/cache"
        -o Dir::Etc::SourceList="$scratch/sources.list" -o Dir::Etc::SourceParts=-
        -o Dir::Etc::Preferences=- -o Dir::Etc::PreferencesParts=- -o APT::Default-Release=
        -o APT::Architecture="$2" -o APT::Architectures::="$2"
        -o APT::Sandbox::User=root -o APT::Update::Error-Mode=any)
    for mirror in $(mirrors); do
        echo "deb [arch=$2 target=Packages $signed_by] $mirror $suite main" > "$scratch/sources.list"
        (cd "$scratch" && apt-get -qq "${own[@]}" update) < /dev/null || continue
        kernel=$(apt-cache "${own[@]}" depends "$package" |
            sed -n 's/^ *Depends: \(linux-image-.*\)/\1/p' | head -n 1)
        if (cd "$scratch" && apt-get -qq "${own[@]}" download "${kernel:-$package}") < /dev/null
        then
            return 0
        fi
    done
    return 1
}

# unpack <suite> <package> <folder> <by hand>: the package's files into that folder, for jobs that need some
# of them and are to install nothing. Exits with 3 and says what to do by hand if that fails.
unpack() {
    local suite=$1 package=$2 unpacked=$3 by_hand=$4
    local scratch=$unpacked.apt
    if [ -e "$unpacked" ]; then return 0; fi
    if ! command -v apt-get > /dev/null; then
        say "not a Debian: looked for what Debian calls $package; going on with what CMake finds"
        return 0
    fi
    say "unpacking $package into $unpacked"
    rm -rf "$scratch"
    mkdir -p "$scratch"
    if ! download "$suite" "$(dpkg --print-architecture)" "$package" > "$scratch/log" 2>&1 ||
        ! dpkg-deb -x "$scratch/$package"_*.deb "$scratch/unpacked" >> "$scratch/log" 2>&1; then
        sed 's/^/    /' "$scratch/log" >&2
        say "could not get $package; by hand: $by_hand"
        rm -rf "$scratch"
        exit 3
    fi
    mv "$scratch/unpacked" "$unpacked"
    rm -rf "$scratch"
}

# unpack_python <package> <version> <folder>: from Python's package index, with an interpreter of its own.
unpack_python() {
    local package=$1 version=$2 folder=$3
    [ ! -e "$folder/$version" ] || return 0
    say "installing $package $version into $folder"
    rm -rf "$folder"
    if ! { python3 -m venv "$folder" && "$folder/bin/pip" install --quiet "$package==$version"; } < /dev/null; then
        say "could not install $package from Python's package index"
        exit 3
    fi
    touch "$folder/$version"
}
