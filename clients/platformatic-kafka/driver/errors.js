// The library's errors as errors of driver.proto.
//
// An error of a broker is a ProtocolError with `apiId`, a protocol name, and `apiCode`. It is one of the `errors` of a
// ResponseError, and that, after retries, of a MultipleErrors with one entry for each attempt: the last one counts.

const TEXT_LENGTH = 400;
const DEEPEST = 8;

/** Convert anything thrown; `retriable` is that of the error which a broker or the connection gave. */
export function errorOf(thrown) {
  const [answered, innermost] = [protocolError(thrown), deepest(thrown)];
  return {
    code: answered?.apiCode ?? -1,
    name: answered?.apiId ?? "",
    type: thrown?.constructor?.name ?? typeof thrown,
    text: textOf(thrown, innermost).slice(0, TEXT_LENGTH),
    retriable: (answered ?? innermost)?.canRetry === true,
  };
}

function textOf(thrown, innermost) {
  const own = String(thrown?.message ?? thrown);
  return innermost && innermost !== thrown ? `${own} ${innermost.message}` : own;
}

function protocolError(thrown, depth = 0) {
  if (!thrown || depth > DEEPEST) return undefined;
  if (Number.isInteger(thrown.apiCode)) return thrown;
  const inner = [thrown.cause, ...(thrown.errors ?? [])].filter(Boolean);
  return inner.map((error) => protocolError(error, depth + 1)).findLast(Boolean);
}

function deepest(thrown, depth = 0) {
  const inner = thrown?.errors?.findLast(Boolean);
  return inner && depth < DEEPEST ? deepest(inner, depth + 1) : thrown;
}
