/** The example of a platform that buys, as it is. */
import "../../../examples/ucp-buyer/buy.js";
