import type { ToolOutputGuardrailDefinition } from '@openai/agents';
import type { ScreenOptions } from './seen.js';

export declare function toadstone(options?: ScreenOptions): ToolOutputGuardrailDefinition;
