import { Histogram, type Registry } from "prom-client";

/** Seconds; a model on a slow machine takes minutes. */
const buckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320];

/** Measures one request to the language model. */
export type ModelRequest = {
  /** Part of the answer has come; only the first call counts. */
  part: () => void;
  ended: (outcome: "success" | "error" | "aborted") => void;
};

/** How long the language model takes, by which an operator tells a slow model from a slow Hearth. */
export class ModelLatency {
  readonly #first: Histogram;
  readonly #whole: Histogram;

  constructor(metrics: Registry) {
    const registers = [metrics];
    this.#first = new Histogram({
      name: "hearth_model_first_part_seconds",
      help: "Time from a request to the language model to the first part of its answer.",
      buckets,
      registers,
    });
    this.#whole = new Histogram({
      name: "hearth_model_request_seconds",
      help: "Time of a request to the language model, by outcome (success, error, aborted).",
      labelNames: ["outcome"],
      buckets,
      registers,
    });
  }

  /** Start to measure a request. */
  begin(): ModelRequest {
    const began = performance.now();
    const seconds = () => (performance.now() - began) / 1_000;
    let hasBegun = false;
    return {
      part: () => {
        if (!hasBegun) this.#first.observe(seconds());
        hasBegun = true;
      },
      ended: (outcome) => this.#whole.observe({ outcome }, seconds()),
    };
  }
}
