import type { Processor } from '@mastra/core/processors';
import type { ScreenOptions } from './seen.js';

export declare function toadstone(options?: ScreenOptions): Processor<'toadstone'> & Required<Pick<Processor, 'processLLMRequest'>>;
