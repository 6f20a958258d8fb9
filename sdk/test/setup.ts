import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";

// What tests wait for comes from a real oracle, on a machine that may have more to do.
configure({ asyncUtilTimeout: 20_000 });
afterEach(cleanup);
