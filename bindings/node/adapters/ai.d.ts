import type { LanguageModelMiddleware } from 'ai';
import type { ScreenOptions } from './seen.js';

export declare function toadstone(options?: ScreenOptions): LanguageModelMiddleware;
