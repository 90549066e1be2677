#!/usr/bin/perl
# Stop: it isn't over before the tests are green, but asked only once.
use JSON::PP qw(decode_json encode_json);
local $/;
my $hook = decode_json(<STDIN>);
exit 0 if $hook->{stop_hook_active};
if (-e "$ENV{CLAUDE_PROJECT_DIR}/.tests-failed") {
  print encode_json({ decision => "block", reason => "The tests fail. Mend them first." });
}
