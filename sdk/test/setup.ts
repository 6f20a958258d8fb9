import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// Tests wait for a real oracle, on a machine that may be busy.
configure({ asyncUtilTimeout: 20_000 });
afterEach(cleanup);
