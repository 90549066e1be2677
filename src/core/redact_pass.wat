;; The fast pass over bytes that may hold secrets (`redact_pass.ts` says what it is for; `redact_plain_pass.ts` does
;; the same without WebAssembly). It notes, and decides nothing: whatever it notes is looked at closely behind it.
;;
;; Memory, in this order; what has no constant place is told by the host:
;;        0  grams: for each slot of a four-byte gram, not 0 where some pattern has such a gram
;;    65536  checks: the same by another hash
;;   131072  short grams: three bytes of a gram, for patterns of six bytes
;;   196608  text, and at least 64 blanks behind its end
;;           starts and ends of codes, the same and the codes before of line breaks, what was noted, trigrams
(module
  (import "host" "memory" (memory 1))
  ;; The end of a code that is no colour; where there is none, the place it was asked for.
  (import "host" "oddCode" (func $oddCode (param i32) (result i32)))
  (import "host" "hasShort" (global $hasShort i32))
  (import "host" "codeStarts" (global $codeStarts i32))
  (import "host" "codeEnds" (global $codeEnds i32))
  (import "host" "lineStarts" (global $lineStarts i32))
  (import "host" "lineEnds" (global $lineEnds i32))
  ;; For each line break, four times the number of codes before it.
  (import "host" "lineCodes" (global $lineCodes i32))
  (import "host" "grams" (global $gramHits i32))

  (global $codes (export "codes") (mut i32) (i32.const 0))
  (global $lines (export "lines") (mut i32) (i32.const 0))
  ;; Bytes behind the last noted gram.
  (global $gramsEnd (export "gramsEnd") (mut i32) (i32.const 0))
  ;; Line feeds, and carriage returns before them.
  (global $feeds (export "feeds") (mut i32) (i32.const 0))
  (global $returns (export "returns") (mut i32) (i32.const 0))
  ;; Bytes of codes.
  (global $hidden (export "hidden") (mut i32) (i32.const 0))
  ;; Not 0 where there is more than ASCII text, line ends and codes.
  (global $odd (export "odd") (mut i32) (i32.const 0))
  ;; Where the walk stands, and the first code from there.
  (global $place (mut i32) (i32.const 0))
  (global $gap (mut i32) (i32.const 0))

  ;; Notes a gram at $at whose slot is taken, if its check is too.
  (func $gram (param $at i32)
    (local $gram i32)
    (local.set $gram (i32.load offset=196608 (local.get $at)))
    (if (i32.load8_u (i32.shr_u (i32.mul (local.get $gram) (i32.const 0x9e3779b1)) (i32.const 16)))
      (then
        (if (i32.load8_u offset=65536
              (i32.shr_u (i32.mul (local.get $gram) (i32.const 0xc2b2ae35)) (i32.const 16)))
          (then (call $note (local.get $at)))))))

  ;; The same for the upper three bytes of a gram, as a negative number.
  (func $shortGram (param $at i32)
    (if (i32.load8_u offset=131072
          (i32.shr_u
            (i32.mul
              (i32.and (i32.load offset=196608 (local.get $at)) (i32.const 0xffffff00))
              (i32.const 0x9e3779b1))
            (i32.const 16)))
      (then (call $note (i32.xor (local.get $at) (i32.const -1))))))

  (func $note (param $value i32)
    (i32.store (global.get $gramsEnd) (local.get $value))
    (global.set $gramsEnd (i32.add (global.get $gramsEnd) (i32.const 4))))

  ;; Notes the grams of 16 bytes.
  (func $sixteen (param $at i32)
    (call $gram (local.get $at))
    (call $gram (i32.add (local.get $at) (i32.const 4)))
    (call $gram (i32.add (local.get $at) (i32.const 8)))
    (call $gram (i32.add (local.get $at) (i32.const 12))))

  (func $shortSixteen (param $at i32)
    (call $shortGram (local.get $at))
    (call $shortGram (i32.add (local.get $at) (i32.const 4)))
    (call $shortGram (i32.add (local.get $at) (i32.const 8)))
    (call $shortGram (i32.add (local.get $at) (i32.const 12))))

  ;; Notes grams, codes and line breaks of the first $end bytes. 64 bytes at a time, so that the processor seldom guesses
  ;; wrong where the next code is.
  (func (export "pass") (param $end i32)
    (local $at i32) (local $quarter i32) (local $place i32) (local $byte i32) (local $next i32)
    (local $mask i64) (local $bytes v128) (local $slots v128)
    ;; Of codes and breaks: where the next one is noted, and where the last one ends, which one that follows it extends.
    (local $codes i32) (local $codeEnd i32) (local $lines i32) (local $lineEnd i32) (local $feeds i32)
    (global.set $gramsEnd (global.get $gramHits))
    (global.set $returns (i32.const 0))
    (global.set $hidden (i32.const 0))
    (global.set $odd (i32.const 0))
    (local.set $codeEnd (i32.const -1))
    (local.set $lineEnd (i32.const -1))
    (block $done
      (loop $blocks
        (br_if $done (i32.ge_s (local.get $at) (local.get $end)))
        (local.set $mask (i64.const 0))
        (local.set $quarter (local.get $at))
        (loop $quarters
          (local.set $bytes (v128.load offset=196608 (local.get $quarter)))
          (local.set $slots
            (i32x4.shr_u
              (i32x4.mul (local.get $bytes) (i32x4.splat (i32.const 0x9e3779b1)))
              (i32.const 16)))
          (if (i32.or
                (i32.or
                  (i32.load8_u (i32x4.extract_lane 0 (local.get $slots)))
                  (i32.load8_u (i32x4.extract_lane 1 (local.get $slots))))
                (i32.or
                  (i32.load8_u (i32x4.extract_lane 2 (local.get $slots)))
                  (i32.load8_u (i32x4.extract_lane 3 (local.get $slots)))))
            (then (call $sixteen (local.get $quarter))))
          (if (global.get $hasShort) (then (call $shortSixteen (local.get $quarter))))
          (global.set $odd (i32.or (global.get $odd) (i8x16.bitmask (local.get $bytes))))
          ;; A bit for each control character, and for what may begin one of two bytes.
          (local.set $mask
            (i64.or
              (i64.shr_u (local.get $mask) (i64.const 16))
              (i64.shl
                (i64.extend_i32_u
                  (i8x16.bitmask
                    (v128.or
                      (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x20)))
                      (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0xc2))))))
                (i64.const 48))))
          (local.set $quarter (i32.add (local.get $quarter) (i32.const 16)))
          (br_if $quarters (i32.lt_s (local.get $quarter) (i32.add (local.get $at) (i32.const 64)))))
        (block $looked
          (loop $controls
            (br_if $looked (i64.eqz (local.get $mask)))
            (local.set $place (i32.add (local.get $at) (i32.wrap_i64 (i64.ctz (local.get $mask)))))
            (local.set $mask (i64.and (local.get $mask) (i64.sub (local.get $mask) (i64.const 1))))
            ;; Inside a code.
            (br_if $controls (i32.lt_s (local.get $place) (local.get $codeEnd)))
            (local.set $byte (i32.load8_u offset=196608 (local.get $place)))
            (if (i32.or (i32.eq (local.get $byte) (i32.const 0x1b)) (i32.eq (local.get $byte) (i32.const 0xc2)))
              (then
                ;; A colour: ESC [ digits and semicolons m; one of more than 16 is looked at elsewhere.
                (local.set $next
                  (i32.add
                    (i32.add (local.get $place) (i32.const 2))
                    (i32.ctz
                      (i32.xor
                        (i8x16.bitmask
                          (i8x16.lt_u
                            (i8x16.sub
                              (v128.load offset=196610 (local.get $place))
                              (i8x16.splat (i32.const 0x30)))
                            (i8x16.splat (i32.const 12))))
                        (i32.const -1)))))
                (if (i32.and
                      (i32.eq (i32.load16_u offset=196608 (local.get $place)) (i32.const 0x5b1b))
                      (i32.eq (i32.load8_u offset=196608 (local.get $next)) (i32.const 0x6d)))
                  (then (local.set $next (i32.add (local.get $next) (i32.const 1))))
                  (else
                    (local.set $next (call $oddCode (local.get $place)))
                    (br_if $controls (i32.le_s (local.get $next) (local.get $place)))))
                (global.set $hidden
                  (i32.add (global.get $hidden) (i32.sub (local.get $next) (local.get $place))))
                (if (i32.ne (local.get $place) (local.get $codeEnd))
                  (then
                    (i32.store (i32.add (global.get $codeStarts) (local.get $codes)) (local.get $place))
                    (local.set $codes (i32.add (local.get $codes) (i32.const 4)))))
                (local.set $codeEnd (local.get $next))
                (i32.store
                  (i32.add (global.get $codeEnds) (i32.sub (local.get $codes) (i32.const 4)))
                  (local.get $next))
                (br $controls)))
            (if (i32.or (i32.eq (local.get $byte) (i32.const 10)) (i32.eq (local.get $byte) (i32.const 13)))
              (then
                (if (i32.ne (local.get $place) (local.get $lineEnd))
                  (then
                    (i32.store (i32.add (global.get $lineStarts) (local.get $lines)) (local.get $place))
                    (i32.store (i32.add (global.get $lineCodes) (local.get $lines)) (local.get $codes))
                    (local.set $lines (i32.add (local.get $lines) (i32.const 4)))))
                (local.set $lineEnd (i32.add (local.get $place) (i32.const 1)))
                (i32.store
                  (i32.add (global.get $lineEnds) (i32.sub (local.get $lines) (i32.const 4)))
                  (local.get $lineEnd))
                (if (i32.eq (local.get $byte) (i32.const 10))
                  (then
                    (local.set $feeds (i32.add (local.get $feeds) (i32.const 1)))
                    (br $controls)))
                (if (i32.eq (i32.load8_u offset=196609 (local.get $place)) (i32.const 10))
                  (then (global.set $returns (i32.add (global.get $returns) (i32.const 1))))
                  (else (global.set $odd (i32.const 1))))
                (br $controls)))
            ;; BEL and backspace.
            (if (i32.lt_u (i32.sub (local.get $byte) (i32.const 7)) (i32.const 2))
              (then (global.set $odd (i32.const 1))))
            (br $controls)))
        (local.set $at (i32.add (local.get $at) (i32.const 64)))
        (br $blocks)))
    (global.set $codes (i32.shr_u (local.get $codes) (i32.const 2)))
    (global.set $lines (i32.shr_u (local.get $lines) (i32.const 2)))
    (global.set $feeds (local.get $feeds))
    ;; Before the first code none ends, and behind the last none begins.
    (i32.store (i32.sub (global.get $codeEnds) (i32.const 4)) (i32.const -2))
    (i32.store (i32.add (global.get $codeStarts) (local.get $codes)) (i32.const 0x7fffffff)))

  ;; The last byte before the place of the walk that counts, -1 where there is none. Codes don't, nor breaks if $wraps.
  (func $previous (param $wraps i32) (result i32)
    (local $byte i32) (local $before i32)
    (loop $on (result i32)
      (if (i32.le_s (global.get $place) (i32.const 0)) (then (return (i32.const -1))))
      (local.set $before (i32.shl (i32.sub (global.get $gap) (i32.const 1)) (i32.const 2)))
      (if (i32.eq (i32.load (i32.add (global.get $codeEnds) (local.get $before))) (global.get $place))
        (then
          (global.set $place (i32.load (i32.add (global.get $codeStarts) (local.get $before))))
          (global.set $gap (i32.sub (global.get $gap) (i32.const 1)))
          (br $on)))
      (global.set $place (i32.sub (global.get $place) (i32.const 1)))
      (local.set $byte (i32.load8_u offset=196608 (global.get $place)))
      (br_if $on (i32.and (local.get $wraps) (call $isBreak (local.get $byte))))
      (local.get $byte)))

  ;; The first byte from the place of the walk that counts.
  (func $next (param $wraps i32) (param $end i32) (result i32)
    (local $byte i32) (local $after i32)
    (loop $on (result i32)
      (if (i32.ge_s (global.get $place) (local.get $end)) (then (return (i32.const -1))))
      (local.set $after (i32.shl (global.get $gap) (i32.const 2)))
      (if (i32.eq (i32.load (i32.add (global.get $codeStarts) (local.get $after))) (global.get $place))
        (then
          (global.set $place (i32.load (i32.add (global.get $codeEnds) (local.get $after))))
          (global.set $gap (i32.add (global.get $gap) (i32.const 1)))
          (br $on)))
      (local.set $byte (i32.load8_u offset=196608 (global.get $place)))
      (global.set $place (i32.add (global.get $place) (i32.const 1)))
      (br_if $on (i32.and (local.get $wraps) (call $isBreak (local.get $byte))))
      (local.get $byte)))

  (func $isBreak (param $byte i32) (result i32)
    (i32.or (i32.eq (local.get $byte) (i32.const 10)) (i32.eq (local.get $byte) (i32.const 13))))

  ;; Notes which of the $count codes, or line breaks if $wraps, may stand inside a pattern, by two bytes before and two behind:
  ;; its start, its end, and the first code from its start. Returns the end of what it noted from $hits on.
  ;; In the table: 1 for three bytes inside a pattern, 2 for its first, 4 for its last three; behind that, whether a byte
  ;; stands in any.
  (func (export "across")
    (param $starts i32) (param $ends i32) (param $count i32) (param $end i32)
    (param $table i32) (param $shift i32) (param $wraps i32) (param $hits i32) (result i32)
    (local $from i32) (local $occurs i32) (local $code i32) (local $after i32) (local $start i32) (local $stop i32)
    (local $a i32) (local $b i32) (local $c i32) (local $d i32) (local $left i32) (local $right i32)
    (local.set $count (i32.shl (local.get $count) (i32.const 2)))
    (local.set $occurs
      (i32.add
        (local.get $table)
        (i32.shl (i32.const 1) (i32.sub (i32.const 32) (local.get $shift)))))
    (block $done
      (loop $gaps
        (br_if $done (i32.ge_s (local.get $from) (local.get $count)))
        (local.set $start (i32.load (i32.add (local.get $starts) (local.get $from))))
        (local.set $stop (i32.load (i32.add (local.get $ends) (local.get $from))))
        (local.set $code (local.get $from))
        (local.set $from (i32.add (local.get $from) (i32.const 4)))
        (if (local.get $wraps)
          (then (local.set $code (i32.load (i32.add (global.get $lineCodes) (local.get $code))))))
        (local.set $after
          (i32.add (local.get $code)
            (i32.shl
              (i32.eq (i32.load (i32.add (global.get $codeStarts) (local.get $code))) (local.get $start))
              (i32.const 2))))
        (local.set $b (i32.load8_u offset=196607 (local.get $start)))
        (local.set $c (i32.load8_u offset=196608 (local.get $stop)))
        ;; Most stand next to a byte that no pattern has.
        (br_if $gaps
          (i32.eqz
            (i32.or
              (i32.load8_u (i32.add (local.get $occurs) (local.get $c)))
              (i32.eq (local.get $stop) (i32.load (i32.add (global.get $codeStarts) (local.get $after)))))))
        (br_if $gaps
          (i32.eqz
            (i32.or
              (i32.load8_u (i32.add (local.get $occurs) (local.get $b)))
              (i32.eq
                (local.get $start)
                (i32.load (i32.sub (i32.add (global.get $codeEnds) (local.get $code)) (i32.const 4)))))))
        (local.set $a (i32.load8_u offset=196606 (local.get $start)))
        (local.set $d (i32.load8_u offset=196609 (local.get $stop)))
        (block $known
          (block $unknown
            (br_if $unknown (i32.lt_s (local.get $start) (i32.const 2)))
            (br_if $unknown (i32.ge_s (i32.add (local.get $stop) (i32.const 1)) (local.get $end)))
            (br_if $unknown
              (i32.gt_s
                (i32.load (i32.sub (i32.add (global.get $codeEnds) (local.get $code)) (i32.const 4)))
                (i32.sub (local.get $start) (i32.const 2))))
            (br_if $unknown
              (i32.lt_s
                (i32.load (i32.add (global.get $codeStarts) (local.get $after)))
                (i32.add (local.get $stop) (i32.const 2))))
            (br_if $known (i32.eqz (local.get $wraps)))
            (br_if $known
              (i32.eqz
                (i32.or
                  (i32.or (i32.eq (local.get $a) (i32.const 10)) (i32.eq (local.get $a) (i32.const 13)))
                  (i32.or (i32.eq (local.get $d) (i32.const 10)) (i32.eq (local.get $d) (i32.const 13)))))))
          ;; Something that doesn't count stands among the four: they are looked for one by one.
          (global.set $place (local.get $start))
          (global.set $gap (i32.shr_s (local.get $code) (i32.const 2)))
          (local.set $b (call $previous (local.get $wraps)))
          (br_if $gaps (i32.lt_s (local.get $b) (i32.const 0)))
          (local.set $a (call $previous (local.get $wraps)))
          (if (i32.lt_s (local.get $a) (i32.const 0)) (then (local.set $a (i32.const 0))))
          (global.set $place (local.get $stop))
          (global.set $gap (i32.shr_s (local.get $after) (i32.const 2)))
          (local.set $c (call $next (local.get $wraps) (local.get $end)))
          (br_if $gaps (i32.lt_s (local.get $c) (i32.const 0)))
          (local.set $d (call $next (local.get $wraps) (local.get $end)))
          (if (i32.lt_s (local.get $d) (i32.const 0)) (then (local.set $d (i32.const 0)))))
        (local.set $c (i32.or (i32.shl (local.get $b) (i32.const 8)) (local.get $c)))
        (local.set $left
          (i32.load8_u
            (i32.add (local.get $table)
              (i32.shr_u
                (i32.mul
                  (i32.or (i32.shl (local.get $a) (i32.const 16)) (local.get $c))
                  (i32.const 0x85ebca6b))
                (local.get $shift)))))
        (local.set $right
          (i32.load8_u
            (i32.add (local.get $table)
              (i32.shr_u
                (i32.mul
                  (i32.or (i32.shl (local.get $c) (i32.const 8)) (local.get $d))
                  (i32.const 0x85ebca6b))
                (local.get $shift)))))
        (br_if $gaps
          (i32.eqz
            (select
              (i32.or
                (i32.and (local.get $right) (i32.const 1))
                (i32.and (local.get $left) (i32.const 4)))
              (i32.and (local.get $right) (i32.const 2))
              (i32.and (local.get $left) (i32.const 1)))))
        (i32.store (local.get $hits) (local.get $start))
        (i32.store offset=4 (local.get $hits) (local.get $stop))
        (i32.store offset=8 (local.get $hits) (i32.shr_s (local.get $code) (i32.const 2)))
        (local.set $hits (i32.add (local.get $hits) (i32.const 12)))
        (br $gaps)))
    (local.get $hits))
)
