#!/usr/bin/env perl
# PostToolUse: numbers of cards never reach the model.
use strict;
use warnings;
use JSON::PP;

my $in = decode_json(do { local $/; <STDIN> });
my $out = $in->{tool_response}{stdout} // '';
if ($out =~ s/\b(?:\d{4}[ -]){3}\d{4}\b/[card]/g) {
    print encode_json({ hookSpecificOutput => { hookEventName => 'PostToolUse', updatedToolOutput => $out } });
}
exit 0;
