import { withGatehouse } from "@gatehouse/edge/workers";

/**
 * Stands before the site on its own route; what is not Gatehouse's goes to the origin untouched. A
 * site that is a Worker itself is wrapped instead: `withGatehouse(yourWorker)`.
 */
export default withGatehouse();
