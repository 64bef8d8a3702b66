export default class CoverageReporter {}
