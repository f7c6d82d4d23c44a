// The token function of an application, for libraries that do not ask token servers by themselves.

/** A new token for the client's credentials (RFC 6749, 4.4). */
export async function fetchToken(asked) {
  const client = Buffer.from(`${asked.user}:${asked.password}`).toString('base64');
  const answer = await fetch(asked.token_endpoint, {
    method: 'POST',
    headers: { Authorization: `Basic ${client}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  if (!answer.ok) {
    throw new Error(`the token server answers ${answer.status}`);
  }
  return (await answer.json()).access_token;
}
