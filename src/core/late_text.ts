/**
 * A text that is made when somebody asks for it: most of a long output is only counted. Strings are such texts too. Others
 * are to be asked at once, since what they are made of doesn't last.
 */
export interface LateText {
  readonly length: number;
  toString(): string;
}
