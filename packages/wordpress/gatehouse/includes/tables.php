<?php
/**
 * Lists of the protocol package, written by `npm run build:wordpress`.
 *
 * @package Gatehouse
 */

declare( strict_types=1 );

defined( 'ABSPATH' ) || exit;

return array(
	'documents'         => array(
		'/llms.txt'                    => array( 'llms', '/v1/llms/{site_key_hash}.txt' ),
		'/agents.md'                   => array( 'agentsMd', '/v1/agents/{site_key_hash}.md' ),
		'/agent'                       => array( 'agentPage', '/v1/agent/{site_key_hash}' ),
		'/.well-known/agent-card.json' => array( 'card', '/v1/agent-card/{site_key}.json' ),
		'/.well-known/ai-catalog.json' => array( 'catalog', '/v1/catalog/{site_key}.json' ),
		'/.well-known/ard.json'        => array( 'ard', '/v1/catalog/{site_key}/ard.json' ),
		'/.well-known/did.json'        => array( 'did', '/v1/did/{site_key_hash}.json' ),
		'/.well-known/acp.json'        => array( 'acp', '/v1/acp/{site_key_hash}.json' ),
		'/.well-known/ucp'             => array( 'ucpProfile', '/v1/ucp/{site_key_hash}/profile' ),
	),
	'verification_path' => '/.well-known/gatehouse-verification.txt',
	'agents'            => array(
		'GPTBot',
		'ChatGPT-User',
		'OAI-SearchBot',
		'ClaudeBot',
		'Claude-User',
		'Claude-SearchBot',
		'Claude-Web',
		'anthropic-ai',
		'PerplexityBot',
		'Perplexity-User',
		'Google-CloudVertexBot',
		'Google-NotebookLM',
		'Google-Agent',
		'GoogleOther',
		'Googlebot',
		'bingbot',
		'Applebot',
		'Amazonbot',
		'NovaAct',
		'meta-externalagent',
		'meta-externalfetcher',
		'FacebookBot',
		'Bytespider',
		'CCBot',
		'DuckAssistBot',
		'MistralAI-User',
		'cohere-ai',
		'cohere-training-data-crawler',
		'YouBot',
		'PetalBot',
		'Diffbot',
		'AI2Bot',
		'Timpibot',
		'Manus-User',
		'Devin',
	),
);
