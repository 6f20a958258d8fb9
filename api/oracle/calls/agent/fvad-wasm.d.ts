declare module "@echogarden/fvad-wasm" {
  /** The voice detector of WebRTC, compiled to WebAssembly, with its own memory. */
  export type Fvad = {
    HEAP16: Int16Array;
    _malloc: (bytes: number) => number;
    _free: (at: number) => void;
    _fvad_new: () => number;
    _fvad_free: (detector: number) => void;
    /** 0 (most sensitive) to 3 (strictest). */
    _fvad_set_mode: (detector: number, mode: number) => number;
    _fvad_set_sample_rate: (detector: number, hertz: number) => number;
    /** 1: voice, 0: none, -1: not 10, 20 or 30 ms of samples. */
    _fvad_process: (detector: number, samples: number, length: number) => number;
  };
  export default function load(): Promise<Fvad>;
}
