#!/bin/sh
# Lay out Debian's Godot 4 with its libraries in a folder, without installing it, and write the program FOLDER/godot.
# Godot 4 is in Debian from forky on; needs root or mmdebstrap's own ways, and nothing of it reaches the machine's system.
set -e
folder=$(mkdir -p "$1" && cd "$1" && pwd)
test -x "$folder/godot" && exit 0
command -v mmdebstrap >/dev/null || { test "$(id -u)" = 0 && apt-get install -y -qq --no-install-recommends mmdebstrap >/dev/null; }
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Label: Debian' | head -1)
rm -rf "$folder/root"
mmdebstrap --quiet --variant=extract --include=godot,libgl1-mesa-dri,libgl1,libegl1 \
  --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Check-Valid-Until "false"' \
  forky "$folder/root" "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror forky main"
cat >"$folder/godot" <<END
#!/bin/sh
libraries=$folder/root/usr/lib/x86_64-linux-gnu
exec $folder/root/usr/lib64/ld-linux-x86-64.so.2 --library-path \$libraries:\$libraries/pulseaudio $folder/root/usr/bin/godot "\$@"
END
chmod +x "$folder/godot"
