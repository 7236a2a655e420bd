import type * as toadstone from './index.js';

/** The same functions as of the package itself. */
export type Toadstone = Omit<typeof toadstone, 'backend'>;

/** From the module, its bytes, a Response, or where to fetch it; toadstone.wasm beside this file, if nothing is said. */
export declare function load(source?: string | URL | Response | ArrayBuffer | Uint8Array | WebAssembly.Module): Promise<Toadstone>;
export declare function loadSync(source: ArrayBuffer | Uint8Array | WebAssembly.Module): Toadstone;
