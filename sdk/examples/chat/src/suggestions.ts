const load = (capability: string) => `/tool load_capability {"names":["${capability}"]}`;

/** Suggested messages by button label, sent one after the other. */
export type Suggestions = Record<string, string[]>;

/** For an oracle with a language model. */
export const sentences: Suggestions = {
  "Active vouchers": ["How many vouchers are active?"],
  "Weather in Lusaka": ["How is the weather in Lusaka now?"],
  "Dark colours": ["Show this page in dark colours, please."],
  "A bar chart": ["Draw the fuel of a day as bars: 6.2 kg before, 3.1 kg after."],
  "A gauge": ["Show a gauge: 50 % of the fuel was saved."],
};

/**
 * For an oracle without a language model: questions that its rules read, and `/tool` commands for this page's own tools, which they
 * do not know.
 */
export const withoutModel: Suggestions = {
  "Active vouchers": ["How many vouchers are active?"],
  "Anything wrong?": ["Is anything wrong?"],
  "Weather in Lusaka": ["How is the weather in Lusaka now?"],
  "Dark colours": [load("portal"), '/tool set_colours {"scheme":"dark"}'],
  "A bar chart": [
    load("agui"),
    '/tool show_bars {"title":"Fuel per day, kg","bars":[{"label":"Before","value":6.2},{"label":"After","value":3.1}]}',
  ],
  "A gauge": [
    load("agui"),
    '/tool render_component {"componentName":"Gauge","args":{"label":"Fuel saved","value":50}}',
  ],
};
