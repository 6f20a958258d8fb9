/** The package comes without declarations (0.22.0). */
declare module "@getodk/web-forms" {
  import type { Component, Plugin } from "vue";

  export const OdkWebForm: Component;
  export const webFormsPlugin: Plugin;
  /** What follows a sent record: the form, empty again. */
  export const POST_SUBMIT__NEW_INSTANCE: string;
}
