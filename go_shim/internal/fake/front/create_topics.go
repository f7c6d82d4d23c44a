package front

import (
	"github.com/kafka-metadata-probe/go_shim/internal/fake/release"
	"github.com/kafka-metadata-probe/go_shim/internal/fake/wire"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// createTopics refuses names, configurations and replicas that brokers refuse, and completes created topics and their
// rows.
func (x *exchange) createTopics(req *kmsg.CreateTopicsRequest) (kmsg.Response, error) {
	front, asked := x.conn.front, map[string]kmsg.CreateTopicsRequestTopic{}
	valid := *req
	valid.Topics = nil
	var refused []kmsg.CreateTopicsResponseTopic
	for _, topic := range req.Topics {
		if code, message := refusal(topic, front.release); code != 0 {
			row := kmsg.NewCreateTopicsResponseTopic()
			row.Topic, row.ErrorCode, row.ErrorMessage = topic.Topic, code, &message
			refused = append(refused, row)
			continue
		}
		valid.Topics = append(valid.Topics, topic)
		asked[topic.Topic] = topic
	}
	resp, err := x.plain(&valid, wire.Codes{})
	if err != nil {
		return nil, err
	}
	created := resp.(*kmsg.CreateTopicsResponse)
	for i := range created.Topics {
		row := &created.Topics[i]
		if row.ErrorCode != 0 {
			continue
		}
		topic := asked[row.Topic]
		row.Configs = configsOf(topic, front.release)
		if req.ValidateOnly {
			continue
		}
		if err := front.place(row.Topic, 0, wantedReplicas(topic, int(row.ReplicationFactor))); err != nil {
			return nil, err
		}
	}
	created.Topics = append(created.Topics, refused...)
	return created, nil
}

// refusal returns the error of a broker for a topic that it does not create (ReplicationControlManager.createTopics).
func refusal(topic kmsg.CreateTopicsRequestTopic, r *release.Release) (code int16, message string) {
	if fault := release.TopicNameFault(topic.Topic); fault != "" {
		return invalidTopic, "Topic name is invalid: " + fault
	}
	for _, config := range topic.Configs {
		if !r.HasTopicConfig(config.Name) {
			return invalidConfig, "Unknown topic config name: " + config.Name
		}
	}
	return refusedReplicas(topic)
}

// configsOf returns every configuration of a new topic with its source (KIP-525). Kafka's own admin client fails on a
// row without them.
func configsOf(topic kmsg.CreateTopicsRequestTopic, r *release.Release) (rows []kmsg.CreateTopicsResponseTopicConfig) {
	given := map[string]*string{}
	for _, config := range topic.Configs {
		given[config.Name] = config.Value
	}
	for _, config := range r.TopicConfigs() {
		row := kmsg.NewCreateTopicsResponseTopicConfig()
		row.Name, row.Value, row.Source = config.Name, kmsg.StringPtr(config.Value), int8(r.DefaultSource(config.Name))
		if value, ok := given[config.Name]; ok {
			row.Value, row.Source = value, int8(kmsg.ConfigSourceDynamicTopicConfig)
		}
		rows = append(rows, row)
	}
	return rows
}
