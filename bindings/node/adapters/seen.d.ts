import type { Guarded, GuardOptions, Text } from 'toadstone';

/** How adapters screen. By default as the result of a tool, by the built-in policy; what passes passes unchanged. */
export interface ScreenOptions extends Omit<GuardOptions, 'bare' | 'wrap'> {
  /** In the place of the guard of the built-in rules: that of an Engine with rules of one's own. */
  guard?: (text: Text, options?: GuardOptions) => Guarded;
}
export declare const WITHHELD: string;
export declare function seen<T>(value: T, options?: ScreenOptions): T | string;
