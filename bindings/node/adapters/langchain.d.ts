import type { AgentMiddleware } from 'langchain';
import type { ScreenOptions } from './seen.js';

export declare function toadstone(options?: ScreenOptions): AgentMiddleware;
